package import Foundation
package import TreeModel

/// A JSON document that the service or the command line writes, and a program reads.
package protocol Document: Codable, Sendable {}

extension Document {
    /// Reads a document from JSON text.
    ///
    /// - Throws: `DecodingError`.
    package init(json: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: json)
    }

    /// The document as JSON text (RFC 8259, UTF-8), on one line.
    ///
    /// - Parameter isSorted: Whether the fields are sorted by name; otherwise they are in the order of their
    ///   declaration.
    package func json(isSorted: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONNode(of: self).write(to: &bytes, isSorted: isSorted)
        return bytes
    }
}

extension JSONValue: Document {}
