/// A page of a list.
public struct Page<Element: PageElement>: Hashable, Sendable {
    /// The elements that could be read, in the order of the list.
    public var elements: [Element]
    /// Whether there are more after these.
    public var hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    public var next: Cursor?
    /// Whether the list is complete; false while the service still adds posts to a home feed.
    public var isComplete = true
    /// The number of all unread notifications; nil for other lists.
    public var unreadCount: Int?
    /// The number of all people who like the post; nil for other lists.
    public var likeCount: Int?
    /// The elements that could not be read, and those that the service has left out because they cannot be shown.
    public private(set) var faults: [DecodingFault] = []

    /// Creates a page.
    public init(_ elements: [Element], next: Cursor? = nil) {
        (self.elements, self.next, hasMore) = (elements, next, next != nil)
    }
}

extension Page: Codable {
    /// A record that the service has left out.
    private struct Skipped: Decodable {
        let path: String
        let reason: String
    }

    /// Decodes a page; elements that cannot be read are left out, each with a fault.
    ///
    /// - Throws: `DecodingError` if this is not an object with a list of such elements.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        elements = try fields.requiredList(Element.listName, idName: Element.idName)
        next = fields.optional("next")
        hasMore = fields.optional("has_more") ?? (next != nil)
        isComplete = fields.optional("complete") ?? true
        unreadCount = fields.number("unread")
        likeCount = fields.number("likes")
        let skipped = fields.list("skipped", of: Skipped.self)
        faults = fields.faults
        faults += skipped.map { record in
            let id = record.path.split(separator: "/").last.map(String.init)
            return DecodingFault(id: id, path: record.path, reason: record.reason)
        }
    }

    /// Encodes the page in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder)
        try fields.set(Element.listName, elements)
        try fields.set("has_more", hasMore)
        try fields.set("next", next)
        try fields.set("complete", isComplete ? nil : false)
        try fields.set("unread", unreadCount)
        try fields.set("likes", likeCount)
    }
}
