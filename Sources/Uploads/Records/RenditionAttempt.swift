import Imaging
package import Posts
package import Tree

/// What tells the files of one attempt at rendering a photo from those of all others: so no name is ever used again for other
/// bytes.
package struct RenditionAttempt: Sendable, Hashable, CustomStringConvertible {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Fifty bits, as ten digits of Crockford's base 32.
    package let description: String

    /// Makes one that there never was: by lot.
    package init() {
        description = String(decoding: (0..<10).map { _ in Self.alphabet[Int.random(in: 0..<32)] }, as: UTF8.self)
    }

    /// Reads one back; nil for what is none.
    init?(_ text: String) {
        guard text.utf8.count == 10, text.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        description = text
    }

    /// Whether a file was made by this attempt.
    package func made(_ fileName: String) -> Bool { fileName.contains("-\(description).") }
}

/// An attempt as it stands in the tree, from before it makes files until these are shown or kept: if it is cut off, the next one
/// takes over what it has finished, and all else goes as garbage.
///
/// At `attempts/{upload}/{attempt}` of the pipeline's own tree: `garbage`, the entry of the garbage list that has its files;
/// `engine`, the version of the program that renders; and `sources`, by the numbers of the photos, the SHA-256 of the originals.
package struct UnfinishedAttempt: Sendable {
    package let attempt: RenditionAttempt
    /// The entry of the garbage list.
    package let garbage: TreeKey
    private let engine: String
    private let sources: [Int: String]

    package init(_ attempt: RenditionAttempt, garbage: TreeKey, engine: String, sources: [Int: String]) {
        (self.attempt, self.garbage, self.engine, self.sources) = (attempt, garbage, engine, sources)
    }

    /// Whether its renditions of a photo are those that would be made now.
    package func holds(_ photo: UploadRecord.Photo, number: Int, engine: String) -> Bool {
        self.engine == engine && sources[number] == photo.fileSHA256
    }
}

// MARK: - As it is written

extension UnfinishedAttempt {
    package init?(_ child: TreeChild) {
        guard let attempt = RenditionAttempt(child.key.string), let engine = child.value["engine"]?.stringValue,
            let garbage = child.value["garbage"]?.stringValue.flatMap({ try? TreeKey($0) })
        else { return nil }
        var sources: [Int: String] = [:]
        for (key, source) in child.value["sources"]?.object ?? [:] {
            if let number = Int(key.string) { sources[number] = source.stringValue }
        }
        self.init(attempt, garbage: garbage, engine: engine, sources: sources)
    }

    package var value: TreeValue {
        var originals: [TreeKey: TreeValue] = [:]
        for (number, source) in sources { originals[TreeKey(unchecked: String(number))] = .string(source) }
        return [
            "engine": .string(engine), "garbage": .string(garbage.string), "sources": .object(originals),
        ]
    }
}

extension Paths {
    /// The attempts at renditions of an upload that have not come to their end (``UnfinishedAttempt``).
    package static func attempts(_ upload: PostID) -> TreePath { attempts / upload.key }

    package static let attempts = TreePath(["attempts"], in: .pipeline)
}
