import Imaging
import Model
import Tree
package import TreeModel

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
    package init?(_ text: String) {
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
    fileprivate let engine: String
    fileprivate let sources: [Int: String]

    package init(_ attempt: RenditionAttempt, garbage: TreeKey, engine: String, sources: [Int: String]) {
        (self.attempt, self.garbage, self.engine, self.sources) = (attempt, garbage, engine, sources)
    }

    /// Whether its renditions of a photo are those that would be made now.
    package func holds(_ photo: UploadRecord.Photo, number: Int, engine: String) -> Bool {
        self.engine == engine && sources[number] == photo.fileSHA256
    }
}

// MARK: - As it is written

extension UnfinishedAttempt: TreeRecord {
    package static let form = RecordForm(
        Self.init(_:garbage:engine:sources:), .init(keyAs: \.attempt), .init("garbage", \.garbage),
        .init("engine", \.engine), .init("sources", \.sources, default: [:]))

    package init?(_ child: TreeChild) { self.init(child.value, at: child.key) }
}

extension RenditionAttempt: TextFieldValue {}
