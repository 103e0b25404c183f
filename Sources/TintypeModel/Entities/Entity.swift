/// An element of the service's lists.
public protocol PageElement: Codable, Hashable, Sendable {
    /// The name of a list of such elements in a document, such as `posts`.
    static var listName: String { get }
    /// The name of the field that has the id, such as `post_id`.
    static var idName: String { get }
}

/// An entity of the service, as its documents contain it and as the tree stores it.
///
/// Fields that this version does not know are in `additionalFields`, and are encoded with the entity. Optional fields
/// that cannot be read are nil, and elements of its lists that cannot be read are left out; `faults` names both.
public protocol Entity: TreeEntity, PageElement, Identifiable where ID == EntityID<Self> {
    /// The fields that this version does not know, by their names: those of later versions, and those that apps add.
    var additionalFields: [String: JSONValue] { get }
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    var faults: [DecodingFault] { get }
}
