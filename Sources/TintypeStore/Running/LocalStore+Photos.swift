import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LocalStore {
    /// Returns how far the photos of a post have been sent.
    func progress(of post: KeptPost, _ account: Person.ID) async throws -> UploadProgress {
        try await records.read { reader in
            guard let text = try AccountRecords(account, in: reader).text(.upload(post.id)) else {
                return UploadProgress()
            }
            return (try? JSONDecoder().decode(UploadProgress.self, from: Data(text.utf8))) ?? UploadProgress()
        }
    }

    /// Stores how far the photos of a post have been sent.
    func setProgress(_ progress: UploadProgress, of post: KeptPost, _ account: Person.ID) async throws {
        let text = String(decoding: try JSONEncoder().encode(progress), as: UTF8.self)
        try await change(account, .appEnd) { try $0.set(text, Fact.upload(post.id)) }
    }

    /// Deletes the files of posts that are published or were withdrawn, of all people, and ends their uploads.
    func removeUnneededPhotos() async throws {
        let unneeded: [String] = try await records.write(.appEnd) { [folder] writer in
            var names: Set<String> = []
            for record in try writer.records(AccountRecords.Table.write, prefix: "") {
                // A later version of the app may have written it, with photos that are not known here.
                guard let queued = try? JSONDecoder().decode(QueuedWrite.self, from: Data(record.value)) else {
                    return []
                }
                if case .post(let post) = queued.write { names.formUnion(post.photos.map(\.name)) }
            }
            return folder.removeAll(but: names)
        }
        for name in unneeded { await uploader?.end(uploadNamed: name) }
    }
}
