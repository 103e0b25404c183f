import Foundation

/// The declarations and names of one file.
struct SourceFile {
    struct Function {
        let name: String
        let lineCount: Int
    }

    let path: String
    var lineCount = 0
    var imports: Set<String> = []
    /// The types that are declared at the top level and visible in the whole module.
    var topLevelTypes: Set<String> = []
    /// The number of functions of each type, including those in extensions.
    var functionCounts: [String: Int] = [:]
    /// The number of visible members that extensions add; keyed by the extended type.
    var extensionMembers: [String: Int] = [:]
    var functions: [Function] = []
    /// The names that begin with a capital letter.
    var names: Set<String> = []

    /// A declaration whose closing brace has not been read yet.
    private struct Open {
        let indentation: Int
        let type: String?
        let function: String?
        let line: Int
        /// Whether it is an extension with visible members.
        var isExtension = false
    }

    init(path: String, root: String) {
        self.path = path
        guard let data = FileManager.default.contents(atPath: "\(root)/\(path)") else { fail("\(path) cannot be read") }
        lineCount = data.count { $0 == UInt8(ascii: "\n") }
        guard path.hasSuffix(".swift") else { return }
        let lines = CodeReader.lines(of: Array(data))
        var open: [Open] = []
        for (number, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            guard !text.isEmpty else { continue }
            note(namesIn: text)
            let indentation = line.utf8.count - text.utf8.count
            if text.hasPrefix("}") || text.hasPrefix(")") && text.hasSuffix("}") {
                open.removeLast(while: { $0.indentation > indentation })
                guard let closed = open.last, closed.indentation == indentation else { continue }
                open.removeLast()
                if let name = closed.function {
                    functions.append(Function(name: name, lineCount: number - closed.line + 1))
                }
            } else if let declaration = Declaration(text) {
                // A declaration that is still open here has no body: a requirement of a protocol.
                open.removeLast(while: { $0.indentation >= indentation })
                if let begun = begin(declaration, text, indentation, within: open.last, line: number) {
                    open.append(begun)
                }
            }
        }
    }

    /// Records a declaration; returns nil when nothing belongs to it.
    private mutating func begin(
        _ declaration: Declaration, _ text: Substring, _ indentation: Int, within outer: Open?, line: Int
    ) -> Open? {
        let isComplete = text.hasSuffix("}")
        switch declaration {
        case .module(let name):
            imports.insert(name)
            return nil
        case .type(let name, let isExtension, let isPrivate):
            if indentation == 0, !isExtension, !isPrivate { topLevelTypes.insert(name) }
            if isComplete || text.contains("typealias ") { return nil }
            let type = (outer?.type).map { "\($0).\(name)" } ?? name
            return Open(
                indentation: indentation, type: type, function: nil, line: line,
                isExtension: isExtension && !isPrivate)
        case .function(let name, let isPrivate):
            note(memberOf: outer, isPrivate: isPrivate)
            if let type = outer?.type { functionCounts[type, default: 0] += 1 }
            return isComplete ? nil : Open(indentation: indentation, type: nil, function: name, line: line)
        case .property(let name, let isPrivate):
            note(memberOf: outer, isPrivate: isPrivate)
            return text.hasSuffix("{") ? Open(indentation: indentation, type: nil, function: name, line: line) : nil
        }
    }

    private mutating func note(memberOf outer: Open?, isPrivate: Bool) {
        guard let outer, outer.isExtension, !isPrivate, let type = outer.type else { return }
        extensionMembers[type, default: 0] += 1
    }

    private mutating func note(namesIn text: Substring) {
        var name: [UInt8] = []
        var previous: UInt8 = 0
        func isPart(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        for byte in text.utf8 {
            if isPart(byte), !name.isEmpty || (0x41...0x5A).contains(byte) && !isPart(previous) {
                name.append(byte)
            } else if !name.isEmpty {
                names.insert(String(decoding: name, as: UTF8.self))
                name = []
            }
            previous = byte
        }
        if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
    }
}

extension Array {
    /// Removes elements from the end while they fulfil a condition.
    mutating func removeLast(while condition: (Element) -> Bool) {
        while let last, condition(last) { removeLast() }
    }
}
