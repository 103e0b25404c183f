/// A write that is safe on the device.
public struct Submission<Subject: Sendable>: Sendable {
    /// The id of the write; nil if nothing must be sent, because the service has the same already or cannot know it.
    public let id: WriteID?
    /// The id of the post, the comment or the person, which is valid for ever, also when the service gives it another.
    public let subject: Subject
    let store: LocalStore

    /// The state of the write: first the present one, then each later one that the reader has time for, up to the last.
    public var states: LocalValues<WriteState> { store.statesOfWrite(id) }
}
