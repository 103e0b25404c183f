import TintypeModel

/// One state of the device's store, as the person sees it. It notes what is read.
final class LocalView {
    let records: AccountRecords
    let overlay: PostOverlay
    private(set) var subjects: Set<Subject> = [.account]
    /// The things that the device must follow while the value is shown.
    private(set) var interests: Set<Interest> = []

    private let refusals: [Subject: Problem]

    /// - Parameter refusals: The refusals of the service to let the person read something.
    init(_ records: AccountRecords, _ overlay: PostOverlay, _ refusals: [Subject: Problem]) {
        (self.records, self.overlay, self.refusals) = (records, overlay, refusals)
    }

    /// Returns the refusal of the service to let the person read something; nil for none.
    func refusal(of subject: Subject) -> Problem? {
        depend(on: subject)
        return refusals[subject]
    }

    /// Notes that the value depends on a subject.
    func depend(on subject: Subject) { subjects.insert(subject) }

    /// Notes that the device must follow something while the value is shown.
    func follow(_ interest: Interest) { interests.insert(interest) }

    /// Notes that the device must follow a post while the value is shown, if no synchronised list has it.
    func follow(_ post: Post.ID) {
        if !post.isLocal, (try? records.place(of: post.rawValue, in: .feed)) == nil { follow(.post(post)) }
    }

    /// Returns a post as the person sees it; nil if the device does not have it.
    ///
    /// - Parameter cache: The posts that were decoded before.
    func post(_ id: Post.ID, _ cache: PostCache = PostCache()) throws -> LocalPost? {
        depend(on: .post(try records.real(id)))
        depend(on: .post(try records.identity(id)))
        return try overlay.post(id) { try cache.post($0, in: records) }
    }
}
