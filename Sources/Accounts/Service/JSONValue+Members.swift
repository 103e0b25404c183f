import TreeModel

extension JSONValue {
    /// The members, if this is an object.
    var objectMembers: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
