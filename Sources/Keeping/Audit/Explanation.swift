package import API
import Access
import Model
import Social
import Store
import Tree
import TreeModel
import Uploads

/// Describes the history of an upload: its intake, its attempts, its original, its renditions and their makers, the
/// nodes that refer to it, and its commits in the change log.
package struct Explanation: Sendable {
    /// The maximum number of commits in a document.
    private static let maxCommits = 200
    private static let page = 500

    private let tools: StoreCheckTools

    package init(_ tools: StoreCheckTools) { self.tools = tools }

    private var tree: TreeStore { tools.tree }

    /// Describes an upload. If the subject is a file, only that file is listed.
    ///
    /// - Throws: `Failure` `not_found` if nothing has the id.
    package func document(of subject: ExplainedSubject) async throws -> ExplanationDocument {
        let id = subject.id
        var document = ExplanationDocument(id: id.string)
        let record = try await tools.store.record(of: id)
        if let record { add(record, to: &document) }
        document.deletedAt = try await tree.get(FileNodes.deleted(id))?.integerValue
        let verifiedAt = try await tree.get(FileNodes.verified(id))?.integerValue
        document.verifiedAt = verifiedAt.flatMap { $0 > 0 ? $0 : nil }
        let owner: String? =
            if let owner = record?.owner.description ?? subject.file?.owner {
                owner
            } else {
                ObjectFile(try await tree.get(ObjectNodes.file() / id.key))?.folder
            }
        document.owner = owner
        if let owner { document.files = try await files(of: id, owner: owner, record) }
        if let file = subject.file { document.files.removeAll { !$0.path.hasSuffix("/\(id)/\(file.name)") } }
        document.named = try await named(id, owner: owner)
        document.jobs = try await jobs(of: id)
        guard record != nil || !document.files.isEmpty || !document.named.isEmpty else {
            throw Failure(
                .notFound, "nothing has the id \(id)",
                hint: "Check the id. Records of uploads that ended without a post are deleted after a while.")
        }
        document.commits = try await commits(of: id)
        return document
    }

    private func add(_ record: UploadRecord, to document: inout ExplanationDocument) {
        (document.purpose, document.intake) = (record.purpose, record.intake.rawValue)
        (document.state, document.attempts) = (record.state.rawValue, record.attempts)
        (document.createdAt, document.updatedAt) = (record.createdAt.milliseconds, record.updatedAt.milliseconds)
        (document.source, document.clientReference) = (record.source, record.clientReference)
        (document.error, document.duplicateOf) = (record.error, record.duplicateOf?.string)
        document.moderation = record.moderation?.decision.rawValue
    }

    // MARK: Files

    private func files(
        of id: PostID, owner: String, _ record: UploadRecord?
    ) async throws -> [ExplanationDocument.File] {
        let claims = try await tree.snapshot { try FolderClaims(of: id, owner: owner, asIfAtRest: true, in: $0) }
        let garbage = try await garbage(of: id)
        let present = try await tools.blobs.files(userID: owner, postID: id.string)
        let sizes = Dictionary(present.map { ($0.name, $0.byteCount) }) { one, _ in one }
        let wanted = claims.byName
        let names = Set(wanted.keys).union(sizes.keys).union(record?.photos.values.flatMap(\.files.keys) ?? [])
        var files: [ExplanationDocument.File] = []
        for name in names.sorted() {
            let use: ExplanationDocument.File.Use =
                switch wanted[name]?.role {
                case .original, .object: .original
                case .rendition: .shown
                case .prepared: .prepared
                case nil: garbage[name] == nil ? .orphaned : .garbage
                }
            // A file that has been deleted is listed only if it should exist.
            guard sizes[name] != nil || wanted[name] != nil else { continue }
            var file = ExplanationDocument.File(path: "blobs/\(owner)/\(id)/\(name)", use: use)
            (file.bytes, file.expectedBytes) = (sizes[name], wanted[name]?.byteCount)
            if use == .garbage { file.until = garbage[name]?.milliseconds }
            try await add(name, of: record, to: &file)
            files.append(file)
        }
        return try files + dropped(of: record, besides: Set(sizes.keys))
    }

    /// Originals that a rule has dropped and whose files have been deleted.
    private func dropped(
        of record: UploadRecord?, besides present: Set<String>
    ) throws -> [ExplanationDocument.File] {
        guard let record else { return [] }
        return try record.orderedPhotos.enumerated().compactMap { index, photo in
            guard photo.droppedAt != nil, !present.contains(photo.fileName) else { return nil }
            var file = ExplanationDocument.File(
                path: "blobs/\(try record.blobName(photo.fileName))", use: .dropped)
            file.expectedBytes = photo.fileByteCount
            Self.add(photo, index, to: &file)
            return file
        }
    }

    private static func add(_ photo: UploadRecord.Photo, _ index: Int, to file: inout ExplanationDocument.File) {
        (file.photo, file.originalName, file.sha256) = (index, photo.originalName, photo.fileSHA256)
        (file.source, file.droppedAt) = (photo.reencoding?.source, photo.droppedAt?.milliseconds)
    }

    private func add(
        _ name: String, of record: UploadRecord?, to file: inout ExplanationDocument.File
    ) async throws {
        for (index, photo) in (record?.orderedPhotos ?? []).enumerated() {
            if photo.fileName == name { Self.add(photo, index, to: &file) }
            guard let made = photo.files[name] else { continue }
            (file.photo, file.sha256, file.expectedBytes) = (index, made.sha256, made.byteCount)
            guard made.madeAt > .epoch else { continue }  // Made by an earlier version, which did not record it.
            (file.fingerprint, file.engine) = (made.recipe, made.engine)
            (file.source, file.madeAt) = (made.source, made.madeAt.milliseconds)
            file.recipe = try await tree.get(UploadNodes.recipe(TreeKey(unchecked: made.recipe)))?.stringValue
        }
    }

    /// The times at which the garbage of an id will be deleted, by file name.
    private func garbage(of id: PostID) async throws -> [String: Timestamp] {
        var found: [String: Timestamp] = [:]
        var range = KeyRange.all
        while true {
            let entries = try await tree.children(of: FileNodes.garbage(), range: range, limit: Self.page)
            for entry in entries {
                let names = (entry.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue)
                for name in names.compactMap({ try? BlobName($0) }) where name.postID == id.string {
                    found[name.fileName] = entry.value["after"]?.timestampValue
                }
            }
            guard entries.count == Self.page, let last = entries.last else { return found }
            range = .after(last.key)
        }
    }

    // MARK: References

    private func named(_ id: PostID, owner: String?) async throws -> [String] {
        try await tree.snapshot { snapshot in
            var paths = [PostNodes.post(id), AudienceNodes.post(id), UploadNodes.queued(id), FileNodes.deleted(id)]
            if let post = try snapshot.record(ofPost: id) {
                let user = try snapshot.upload(id)?.owner
                paths += PostTraces(of: id, post: post, owner: user, text: nil).paths
            }
            paths += try ObjectLinks.posts(ofObject: id, in: snapshot).map { PostNodes.post($0) }
            var named = try paths.filter { try snapshot.exists($0) }.map { TreeInvariant.text($0) }
            if let uid = owner.flatMap({ UserID($0) }), try Avatars.id(of: uid, in: snapshot) == id {
                named.append(TreeInvariant.text(PeopleNodes.person(uid) / "profile_picture"))
            }
            if let file = ObjectFile(try snapshot.get(ObjectNodes.file() / id.key)),
                try snapshot.hasObject(withFile: id.key)
            {
                named.append("object \(file.name)".printable)
            }
            return named.sorted()
        }
    }

    private func jobs(of id: PostID) async throws -> [String] {
        var jobs: [String] = []
        for job in try await tree.keys(of: WorkNodes.rethumbRun()) {
            if try await tree.get(WorkNodes.rethumbRun() / job / id.key) != nil { jobs.append(job.string) }
        }
        return jobs
    }

    // MARK: Change log

    private func commits(of id: PostID) async throws -> [ExplanationDocument.Commit] {
        var commits: [SyncToken: ExplanationDocument.Commit] = [:]
        for path in [UploadNodes.upload(id), PostNodes.post(id), AudienceNodes.post(id)] {
            var token = try await tree.oldestToken
            while true {
                let page = try await tree.changePage(since: token, at: path, limit: Self.page)
                for entry in page.entries {
                    guard let change = JSONValue(text: entry.json) else { continue }
                    let tree = String(TreeInvariant.text(TreePath([], in: path.namespace)).dropLast())
                    let paths = change.paths.map { tree + $0 }
                    let known = commits[entry.token]
                    commits[entry.token] = ExplanationDocument.Commit(
                        token: "\(entry.token)", timestamp: Int64(change["timestamp"]?.integer ?? 0),
                        paths: (known?.paths ?? []) + paths)
                }
                token = page.next
                guard page.hasMore, commits.count < Self.maxCommits else { break }
            }
        }
        return commits.sorted { $0.key < $1.key }.prefix(Self.maxCommits).map(\.value)
    }
}

extension JSONValue {
    /// The paths that a change has written.
    fileprivate var paths: [String] {
        guard case .list(let writes)? = self["writes"] else { return [] }
        return writes.compactMap { $0["path"]?.string }
    }
}
