package import Posts
import Tree

/// What an upload is that becomes a photo of a draft: it comes in several requests, is rendered when its last byte is there, and ends
/// in the update that adds it.
package struct DraftPosition: Sendable, Hashable {
    package let id: PostID
    /// The photo's number in the draft, taken when it was begun: so photos are in that order, whichever is there first.
    package let number: Int
    /// The size of the whole, once it is the draft's.
    package var byteCount: Int?

    init(id: PostID, number: Int) {
        self.id = id
        self.number = number
    }

    var value: TreeValue {
        var fields: [TreeKey: TreeValue] = ["id": .string(id.description), "number": .integer(Int64(number))]
        if let byteCount { fields["bytes"] = .integer(Int64(byteCount)) }
        return .object(fields)
    }

    /// Reads a place back; nil for what is none.
    init?(_ value: TreeValue?) {
        guard let id = value?["id"]?.stringValue.flatMap({ PostID($0) }), let number = value?["number"]?.integerValue
        else { return nil }
        self.init(id: id, number: Int(number))
        byteCount = (value?["bytes"]?.integerValue).map { Int($0) }
    }
}
