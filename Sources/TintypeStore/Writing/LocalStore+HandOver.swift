public import Foundation
import TintypeClient
public import TintypeModel

/// The result of an adoption of posts.
public struct Adoption: Sendable {
    /// Something in the folder of a hand-over that cannot become a post.
    public struct SetAside: Hashable, Sendable {
        /// The place to which it was moved, in the folder `set-aside` of the hand-over.
        public let place: URL
        /// The reason, for developers.
        public let reason: String
    }

    /// The new posts, in the order in which they were put.
    public fileprivate(set) var posts: [Submission<Post.ID>] = []
    /// The handed-over files that cannot become a post.
    public fileprivate(set) var setAside: [SetAside] = []
}

extension LocalStore {
    /// Publishes the posts that a share extension has handed over, each exactly once, in their order: however often the
    /// app or the extension ends in the middle, and also if two processes adopt at the same time.
    ///
    /// An app calls it when it becomes active; `run(adoptingPostsFrom:)` calls it when it begins. What cannot become a
    /// post is set aside, and stops no other one.
    ///
    /// - Throws: `SessionError.signedOut` if nobody is signed in, `RecordStoreError`, or an error of the file system, such
    ///   as a full disk; then the posts that were not adopted stay in the folder.
    @discardableResult
    public func adoptPosts(from handOver: HandOver) async throws -> Adoption {
        let account = try await signedInAccount()
        var adoption = Adoption()
        handOver.removeAbandonedDrafts(at: clock.now)
        for name in try handOver.names() where !name.hasSuffix(HandOver.draftSuffix) {
            guard let id = HandOver.id(name) else {
                try setAside(name, "it is not a post of a hand-over", of: handOver, &adoption)
                continue
            }
            if try await !isAdopted(id) {
                do {
                    if let queued = try await adopt(name, id, of: handOver, account) {
                        let write = WriteID(rawValue: queued)
                        adoption.posts.append(Submission(id: write, subject: .local(id), store: self))
                    }
                } catch {
                    // Another process may have adopted and deleted it meanwhile.
                    if try await !isAdopted(id) {
                        guard let fault = error as? HandOverFault else { throw error }
                        try setAside(name, fault.reason, of: handOver, &adoption)
                        continue
                    }
                }
            }
            handOver.remove(name)
        }
        return adoption
    }

    /// Makes a post of a hand-over one of the outbox, and notes in the same transaction that it was adopted.
    ///
    /// - Returns: The number of the write; nil if the post was adopted before.
    private func adopt(
        _ name: String, _ id: UUID, of handOver: HandOver, _ account: Person.ID
    ) async throws -> Int64? {
        let handed = try handOver.post(name)
        let photos = try folder.keep(handOver.photos(of: handed, name))
        defer { folder.endKeeping(photos) }
        do {
            let number = try await change(account, .powerCut) { [folder] changes -> Int64? in
                if try changes.records.isAdopted(id) { return nil }
                try folder.check(photos)
                try changes.setAdopted(id)
                let post = KeptPost(
                    id: .local(id), text: handed.text, mentions: handed.mentions, audiences: handed.audiences,
                    photos: photos)
                return try changes.add(.post(post), at: handed.date, key: id.uuidString).number
            }
            if number == nil { for photo in photos { folder.remove(photo.name) } }
            return number
        } catch {
            // A transaction may be stored although its end failed.
            if (try? await isAdopted(id)) == false { for photo in photos { folder.remove(photo.name) } }
            throw error
        }
    }

    private func isAdopted(_ id: UUID) async throws -> Bool {
        try await records.read { try AccountRecords(Person.ID(""), in: $0).isAdopted(id) }
    }

    private func setAside(
        _ name: String, _ reason: String, of handOver: HandOver, _ adoption: inout Adoption
    ) throws {
        guard let place = try handOver.setAside(name, reason) else { return }
        adoption.setAside.append(Adoption.SetAside(place: place, reason: reason))
    }
}
