/// A part of a document that could not be read and is left out: an element of a list, or an optional field.
public struct DecodingFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position of the element in its list, as the list was sent; nil if the part is not an element of a list.
    public let index: Int?
    /// The id of the element; nil if it has none that can be read.
    public let id: String?
    /// The path of what is wrong in the document, such as `posts[2].author.uid`, or the path of a node in the tree if
    /// the service has left it out.
    public let path: String
    /// The reason, for developers.
    public let reason: String

    /// Creates a fault.
    public init(index: Int? = nil, id: String? = nil, path: String, reason: String) {
        (self.index, self.id, self.path, self.reason) = (index, id, path, reason)
    }

    /// Creates a fault from the error of the decoder of a child of a node.
    package init(_ error: any Error, ofChild key: String) {
        self.init(error, below: FieldName(key), index: nil, id: key)
    }

    /// Creates a fault from the error of the decoder of a node.
    init(_ error: any Error, below key: FieldName, index: Int?, id: String) {
        let inner = DecodingFault(error, at: [])
        let path = inner.path.isEmpty || inner.path.hasPrefix("[") ? inner.path : ".\(inner.path)"
        self.init(index: index, id: id, path: key.stringValue + path, reason: inner.reason)
    }

    /// Creates a fault from the error of a decoder.
    ///
    /// - Parameter codingPath: The path of the part; used if the error has none.
    init(_ error: any Error, at codingPath: [any CodingKey], index: Int? = nil, id: String? = nil) {
        var (path, reason) = (codingPath, "the value cannot be read: \(error)")
        if let error = error as? DecodingError {
            switch error {
            case .keyNotFound(let key, let context):
                (path, reason) = (context.codingPath + [key], "the field is missing")
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (path, reason) = (context.codingPath, context.debugDescription)
            @unknown default: break
            }
        }
        // Some errors of numbers have no path.
        if path.count < codingPath.count { path = codingPath }
        self.init(index: index, id: id, path: Self.text(of: path), reason: reason)
    }

    /// The path, the id if there is one, and the reason.
    public var description: String {
        let name = id.map { " (\($0))" } ?? ""
        return "\(path.isEmpty ? "the document" : path)\(name): \(reason)"
    }

    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
