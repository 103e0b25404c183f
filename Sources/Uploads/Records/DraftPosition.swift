package import Model
package import TreeModel

/// What an upload is that becomes a photo of a draft: it comes in several requests, is rendered when its last byte is there, and ends
/// in the update that adds it.
package struct DraftPosition: Sendable, Hashable {
    package let id: PostID
    /// The photo's number in the draft, taken when it was begun: so photos are in that order, whichever is there first.
    package let number: Int
    /// The size of the whole, once it is the draft's.
    package var byteCount: Int?
}

extension DraftPosition: TreeRecord {
    package static let form = RecordForm(
        Self.init(id:number:byteCount:), .init("id", \.id), .init("number", \.number), .init("bytes", \.byteCount))
}
