extension SyncChanges {
    /// The changes of one list.
    public struct Part<Element: Entity>: Hashable, Sendable {
        /// Whether these elements, the newest ones, replace everything that the device has of the list.
        public var isReset: Bool
        /// The elements that are new or have changed. For a reset of posts the last published is first, otherwise the
        /// first published.
        public var elements: [Element]
        /// The ids of elements that are no longer in the list.
        public var removedIDs: [Element.ID] = []
        /// The ids of people whose posts are no longer in the list.
        public var leftAuthorIDs: [Person.ID] = []
        /// The cursor with which the list continues after a reset; nil if these are all elements.
        public var next: Cursor?
        /// Whether the list is complete; false while the service still adds older posts to it.
        public var isComplete = true
        /// The number of all unread notifications; nil for other lists.
        public var unreadCount: Int?
        /// The elements that could not be read; mostly empty.
        public private(set) var faults: [DecodingFault] = []

        /// Creates the changes of a list.
        public init(_ elements: [Element] = [], isReset: Bool = false) {
            (self.elements, self.isReset) = (elements, isReset)
        }
    }
}

extension SyncChanges.Part: Codable {
    /// Decodes the changes of a list; elements that cannot be read are left out, each with a fault.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        isReset = fields.flag("reset")
        elements = fields.list(Element.listName, idName: Element.idName)
        removedIDs = fields.list("removed")
        leftAuthorIDs = fields.list("left")
        next = fields.optional("next")
        isComplete = fields.optional("complete") ?? true
        unreadCount = fields.number("unread")
        faults = fields.faults
    }

    /// Encodes the changes in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder)
        try fields.set("reset", flag: isReset)
        try fields.set(Element.listName, elements)
        try fields.set("removed", list: removedIDs)
        try fields.set("left", list: leftAuthorIDs)
        try fields.set("next", next)
        try fields.set("complete", isComplete ? nil : false)
        try fields.set("unread", unreadCount)
    }
}
