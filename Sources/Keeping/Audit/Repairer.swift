import API
import Concurrency
import Files
import Model
import Social
import Store
import Tree
import Uploads

/// Repairs findings. It checks first whether the finding still holds, because the store may have changed since.
struct Repairer: Sendable {
    private let tools: PostTools
    private let unclaimed: UnclaimedFiles
    private let garbage: GarbageNames

    init(_ tools: StoreCheckTools, knowing garbage: GarbageNames) {
        (self.tools, unclaimed, self.garbage) = (tools.posts, tools.unclaimed, garbage)
    }

    /// Carries out the repair of a finding.
    ///
    /// - Returns: Whether the fault is repaired; false for a file that is in use by now.
    /// - Throws: `Failure` if this one finding cannot be repaired; other errors for a fault of the service.
    func mend(_ mend: Finding.Mend) async throws -> Bool {
        switch mend {
        case .node(let rule, let node): return try await settle(rule, node)
        case .render(let upload, _, let file): return try await render(upload, insteadOf: file)
        case .remove(let name): return try await remove(name)
        case .removeFolder(let owner, let id):
            try await unclaimed.remove(id, of: owner)
            return true
        case .forgetChanges(let end):
            try await ChangeLogCheck(tools.tree).forgetChanges(before: end)
            return true
        }
    }

    // MARK: Records

    private func settle(_ rule: TreeInvariant, _ node: TreePath) async throws -> Bool {
        try await tools.tree.transact(at: "mended") { snapshot, update in
            for write in try rule.writes(at: node, in: snapshot) { update[write.path] = write.value }
            update.scope = .repair
        }
        if rule.kind == .uploadNotQueued, let id = PostID(node.keys[1].string),
            let record = try await tools.store.record(of: id), record.state == .ingested
        {
            let keepsOrder = tools.store.intakes[record.intake].keepsOrder
            tools.store.queue.push(id, of: record.owner, keepingOrder: keepsOrder)
        }
        return true
    }

    // MARK: Files

    /// Renders the photo of a file again, from an undamaged original. Its index may differ from that of the finding: an
    /// edit may have changed the order of the photos since.
    private func render(_ upload: PostID, insteadOf file: String) async throws -> Bool {
        try await tools.garbage.locks.withLease(upload) {
            guard let record = try await tools.store.record(of: upload),
                let (photo, damaged) = try await damaged(besides: file, of: record),
                record.orderedPhotos.indices.contains(photo)
            else { return true }  // The photo has been rendered or deleted in the meantime.
            try await requireSound(record.orderedPhotos[photo], of: record)
            var isDone = false
            for post in try await posts(showing: record) {
                guard let path = try await tools.tree.snapshot({ try $0.path(ofPost: post) }),
                    let value = try await tools.tree.get(path), let old = PostPhotos.read(value),
                    old.count == record.photos.count
                else { continue }
                let change = RenditionSwitch(
                    tools: tools, path: path, record: record, old: old, value: value["photos"],
                    recipes: tools.settings.recipes, damaged: damaged)
                isDone = try await change.run([photo], priority: .batch) || isDone
            }
            if !isDone, record.purpose != .post { isDone = try await renderRecord(record, photo) }
            guard isDone else {
                throw Failure(.changedWhileRead, "the post was changed meanwhile", hint: "Run it again.")
            }
            return true
        }
    }

    /// The photo of a damaged rendition, and the names of all its damaged renditions, so that it is rendered once; nil if
    /// the given one is not shown any longer.
    private func damaged(
        besides file: String, of record: UploadRecord
    ) async throws -> (photo: Int, names: Set<String>)? {
        let inspection = try await FolderInspection(
            of: record.id, owner: record.owner.description, knowing: garbage, in: tools.tree,
            beside: tools.blobs)
        let claims = inspection.claims
        var photo = claims.foreign.first { $0.name == file }?.photo
        if case .rendition(let index)? = claims.byName[file]?.role { photo = index }
        guard let photo else { return nil }
        let others = inspection.renders.filter { $0.photo == photo }.map(\.file)
        return (photo, Set([file.split(separator: "/").last.map(String.init) ?? file] + others))
    }

    private func posts(showing record: UploadRecord) async throws -> [PostID] {
        switch record.purpose {
        case .post: [record.id]
        case .object: try await tools.tree.snapshot { try ObjectLinks.posts(ofObject: record.id, in: $0) }
        case .avatar, .draftPhoto: []
        }
    }

    /// - Throws: `Failure`: `original_missing`; `original_damaged`, because renditions are only made from the bytes
    ///   that were sent.
    private func requireSound(_ photo: UploadRecord.Photo, of record: UploadRecord) async throws {
        if photo.droppedAt != nil { throw Failure.originalDropped(photo) }
        let name = try record.blobName(photo.fileName)
        let isSound: Bool
        do {
            let file = try await tools.blobs.open(name)
            isSound = try await FileDigest.sha256(photo.fileSHA256).matches(file, at: RateLimiter(perSecond: nil))
        } catch let error as FileError where error.code == .notFound {
            throw Failure(
                .originalMissing, "the original is missing",
                hint: "Put blobs/\(name) back from a backup, then try again.")
        }
        guard isSound else {
            throw Failure(
                .originalDamaged, "the original is damaged, too",
                hint: "Put blobs/\(name) back from a backup, then try again.")
        }
    }

    /// Renders a photo that no post shows: an avatar, or a photo of the bucket before a post names it.
    private func renderRecord(_ record: UploadRecord, _ index: Int) async throws -> Bool {
        let number = record.photoNumbers[index]
        guard let old = record.photos[number] else { return false }
        let photo = try await tools.renditions.render(old, number: number, of: record, priority: .batch)
        return try await tools.tree.transact(at: "switch") { [tools] snapshot, update in
            guard let present = try snapshot.upload(record.id), present.photos == record.photos else { return false }
            let replaced = old.rendered?.renditions.values.map(\.fileName) ?? []
            try tools.garbage.add(try replaced.map { try record.blobName($0) }, to: &update)
            update[UploadNodes.photo(number, of: record.id)] = try photo.value(owner: record.owner, post: record.id)
            if record.purpose == .avatar, try Avatars.id(of: record.owner, in: snapshot) == record.id,
                let rendition = photo.rendered?.renditions.values.first
            {
                let url = MediaAddress.url(
                    record.owner, record.id, rendition.fileName, at: tools.publicBase)
                update[PeopleNodes.person(record.owner) / "profile_picture"] = .string(url)
            }
            return true
        }
    }

    /// Deletes a file that nothing names, unless it is in use by now.
    private func remove(_ name: BlobName) async throws -> Bool {
        guard let id = PostID(name.postID) else { return false }
        return try await tools.garbage.locks.withLease(id) {
            // Code that writes files of a post holds this lock, or has recorded the names first.
            let claims = try await tools.tree.snapshot { snapshot in
                try garbage.update(in: snapshot)
                return try FolderClaims(of: id, owner: name.userID, in: snapshot)
            }
            guard !claims.isOpen, claims.isClaimed, !claims.lacksPost, claims.byName[name.fileName] == nil,
                !garbage.contains("\(name)")
            else { return false }
            try await tools.blobs.remove(name)
            return true
        }
    }
}
