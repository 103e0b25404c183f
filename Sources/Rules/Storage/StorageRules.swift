package import TreeModel

/// Storage rules, which define who may read and write the objects of a bucket.
///
///     service firebase.storage {
///       match /b/{bucket}/o {
///         match /{uid}/full/{post}/{file} {
///           allow read;
///           allow write: if request.auth.uid == uid && request.resource.size < 5 * 1024 * 1024;
///         }
///       }
///     }
///
/// Operations that no rule allows are refused. (Firebase, "Security Rules for Cloud Storage"; without access to other
/// services.)
package struct StorageRules: Sendable {
    /// The longest text, in bytes.
    package static let maxBytes = 256 * 1024
    /// The longest name of an object, in bytes.
    private static let maxNameBytes = 1024

    private let blocks: [StorageMatch]
    private let version: Int
    private let expressions: [String: RegularExpression]
    private let text: RulesText

    /// Reads rules.
    ///
    /// - Throws: ``TreeError`` with code `invalid_rules`, whose message begins with the line and the column, from 1, or
    ///   `too_large`.
    package init(_ text: String) throws(TreeError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw TreeError(
                .tooLarge, "the rules have \(text.utf8.count) bytes; the limit is \(Self.maxBytes)",
                hint: "Write fewer."
            )
        }
        var source = RulesText(plain: Array(text.utf8))
        do throws(ExpressionError) {
            var parser = try StorageRulesParser(text)
            blocks = try parser.parse()
            version = parser.version
            expressions = parser.expressions
        } catch {
            throw source.invalid(error.message, at: error.offset)
        }
        self.text = source
    }

    /// Judges an operation on an object.
    ///
    /// - Parameters:
    ///   - name: The full name of the object, or of the listed folder.
    ///   - resource: The existing object; nil for none.
    ///   - newResource: The object to be created; nil for a read or a deletion.
    package func judge(
        _ operation: StorageOperation, of name: String, in bucket: String, by subject: RulesSubject,
        resource: StorageResource?, newResource: StorageResource?
    ) -> StorageVerdict {
        guard name.utf8.count <= Self.maxNameBytes, let path = Self.path(of: name, in: bucket, operation) else {
            return StorageVerdict()
        }
        let request: [String: StorageValue] = [
            "auth": subject.auth.map { StorageValue($0) } ?? .null, "time": .time(subject.now.milliseconds),
            "resource": newResource?.value ?? .null, "method": .string(operation.rawValue),
        ]
        var evaluator = StorageEvaluator(
            request: .map(request), resource: resource?.value ?? .null, expressions: expressions)
        for block in blocks {
            guard let offset = grant(operation, by: block, path[...], [:], &evaluator) else { continue }
            var text = text
            let (line, column) = text.position(of: offset)
            return StorageVerdict(isAllowed: true, line: line, column: column)
        }
        return StorageVerdict()
    }

    /// Returns the parts of the path to be matched; nil for a name with an empty part. A trailing slash of a listed
    /// folder does not count.
    private static func path(of name: String, in bucket: String, _ operation: StorageOperation) -> [String]? {
        var parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String($0) }
        if operation == .list, parts.last == .some("") { parts.removeLast() }
        let path = ["b", bucket, "o"] + parts.compactMap(\.self)
        return path.contains("") ? nil : path
    }

    /// Returns the offset of the first `allow` that grants, in a block or in its nested blocks.
    private func grant(
        _ operation: StorageOperation, by block: StorageMatch, _ path: ArraySlice<String>,
        _ names: [String: StorageValue], _ evaluator: inout StorageEvaluator
    ) -> Int? {
        guard let (rest, own) = block.bindings(for: path, minimumOfRest: version == 1 ? 1 : 0) else { return nil }
        let names = names.merging(own) { $1 }
        if rest.isEmpty {
            let scope = StorageEvaluator.Scope(names: names, functions: block.functions)
            for allowance in block.allowances where allowance.operations.contains(operation) {
                guard let condition = allowance.condition else { return allowance.offset }
                if evaluator.isTrue(condition, in: scope) { return allowance.offset }
            }
        }
        for match in block.matches {
            if let offset = grant(operation, by: match, rest, names, &evaluator) { return offset }
        }
        return nil
    }
}

/// The decision about an operation on an object, and the rule behind it.
package struct StorageVerdict: Sendable, Hashable {
    package let isAllowed: Bool
    /// The line and the column of the `allow` that granted it, from 1; nil if none did.
    package let line: Int?
    package let column: Int?

    init(isAllowed: Bool = false, line: Int? = nil, column: Int? = nil) {
        self.isAllowed = isAllowed
        self.line = line
        self.column = column
    }
}
