import Imaging
import Model
import Tree
package import TreeModel

/// The identifier of one attempt at rendering a photo, which is part of its files' names, so that a name is never used
/// again for other bytes.
package struct RenditionAttempt: Sendable, Hashable, CustomStringConvertible {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The identifier: 50 random bits, as ten digits of Crockford's base 32.
    package let description: String

    /// Creates a random identifier.
    package init() {
        description = String(decoding: (0..<10).map { _ in Self.alphabet[Int.random(in: 0..<32)] }, as: UTF8.self)
    }

    /// Reads an identifier; nil if it is malformed.
    package init?(_ text: String) {
        guard text.utf8.count == 10, text.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        description = text
    }

    /// Whether a file was written by this attempt.
    package func made(_ fileName: String) -> Bool { fileName.contains("-\(description).") }
}

/// The record of an attempt, which exists from before its first file is written until its files are shown or kept. If
/// the attempt is interrupted, the next one reuses its finished files, and all others are deleted as garbage.
///
/// It is stored at `attempts/{upload}/{attempt}` in the pipeline's own tree: `garbage`, the entry of the garbage list
/// that holds its files; `engine`, the version of the rendering program; and `sources`, the SHA-256 of the originals by
/// the numbers of the photos.
package struct UnfinishedAttempt: Sendable {
    package let attempt: RenditionAttempt
    /// The entry of the garbage list.
    package let garbage: TreeKey
    fileprivate let engine: String
    fileprivate let sources: [Int: String]

    package init(_ attempt: RenditionAttempt, garbage: TreeKey, engine: String, sources: [Int: String]) {
        (self.attempt, self.garbage, self.engine, self.sources) = (attempt, garbage, engine, sources)
    }

    /// Whether its renditions of a photo are the same that would be rendered now.
    package func holds(_ photo: UploadRecord.Photo, number: Int, engine: String) -> Bool {
        self.engine == engine && sources[number] == photo.fileSHA256
    }
}

// MARK: - Encoding

extension UnfinishedAttempt: TreeRecord {
    package static let form = RecordForm(
        Self.init(_:garbage:engine:sources:), .init(keyAs: \.attempt), .init("garbage", \.garbage),
        .init("engine", \.engine), .init("sources", \.sources, default: [:]))

    package init?(_ child: TreeChild) { self.init(child.value, at: child.key) }
}

extension RenditionAttempt: TextFieldValue {}
