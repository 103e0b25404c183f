package import API
package import Model
package import Tree

/// The value of `upload_queue/{id}`: the data that a start needs to continue an upload, without a read of its record.
///
/// The stored form has these words: the state, or `settling` if the upload has ended and needs clean-up; the intake;
/// the owner; and `gone` if the owner is deleted.
package struct QueueEntry {
    package let id: PostID
    /// The state; nil if the upload has ended.
    package let state: UploadState?
    /// The intake; like the owner, nil in entries of earlier versions.
    package let intake: Intake?
    package let owner: UserID?
    package var isOwnerGone = false

    package init(_ record: UploadRecord) {
        id = record.id
        state = record.state.isTerminal ? nil : record.state
        intake = record.intake
        owner = record.owner
        isOwnerGone = record.isOwnerGone
    }

    package init?(_ child: TreeChild) {
        guard let id = PostID(child.key.description) else { return nil }
        let words = (child.value.stringValue ?? "").split(separator: " ").map(String.init)
        self.id = id
        state = words.first.flatMap(UploadState.init)
        intake = words.count >= 3 ? Intake(rawValue: words[1]) : nil
        owner = words.count >= 3 ? UserID(words[2]) : nil
        isOwnerGone = words.count > 3
    }

    package var value: TreeValue {
        let words = [state?.rawValue ?? "settling", intake?.rawValue ?? "", owner?.description ?? ""]
        return .string((isOwnerGone ? words + ["gone"] : words).joined(separator: " "))
    }
}
