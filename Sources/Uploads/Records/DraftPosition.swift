package import Model
package import TreeModel

/// The draft of an upload that becomes a draft's photo. The upload arrives in several requests, is rendered when its
/// last byte is received, and ends in the update that adds it to the draft.
package struct DraftPosition: Sendable, Hashable {
    package let id: PostID
    /// The photo's number in the draft, assigned when the upload was begun. It determines the order of the photos,
    /// whichever is complete first.
    package let number: Int
    /// The total size in bytes; nil until the upload is complete.
    package var byteCount: Int?
}

extension DraftPosition: TreeRecord {
    package static let form = RecordForm(
        Self.init(id:number:byteCount:), .init("id", \.id), .init("number", \.number), .init("bytes", \.byteCount))
}
