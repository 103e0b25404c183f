import API
package import Model
import Store
package import Tree

extension TreeSnapshot {
    /// Returns the number and sizes of an owner's files under one id, according to the records: nothing is read from
    /// the disk.
    package func usage(of id: PostID, ownedBy owner: TreeKey) throws(TreeError) -> Usage {
        var usage = Usage()
        if let file = try ResumableFile(id, in: self), file.owner == owner {
            usage.add(.unfinished, bytes: file.length ?? 0)
        }
        let record = try upload(id)
        var hasObject = false
        if let file = ObjectFile(try get(ObjectNodes.file() / id.key)), file.folder == owner.string {
            if let object = try object(of: id, file.name) {
                usage.add(.objects, bytes: object.byteCount)
                hasObject = true
            } else if record?.purpose != .object, let size = try get(ObjectNodes.size() / id.key)?.integerValue {
                // No object has these bytes yet, or any longer.
                usage.add(.garbage, bytes: Int(clamping: size))
            }
        }
        // The files of a draft's photo belong to the draft.
        if let record, record.owner.key == owner, record.purpose != .draftPhoto {
            try add(record, hasObject: hasObject, to: &usage)
        }
        return usage
    }

    /// Returns the object with a name, if its bytes are those of an id.
    private func object(of id: PostID, _ name: ObjectName) throws(TreeError) -> StoredObject? {
        guard let value = try get(ObjectKey.path(name)), let object = try? StoredObject(name, value),
            object.blob.postID == id.string
        else { return nil }
        return object
    }

    /// Counts the files of an upload.
    ///
    /// - Parameter hasObject: Whether the original has been counted as an object.
    private func add(_ record: UploadRecord, hasObject: Bool, to usage: inout Usage) throws(TreeError) {
        let isGarbage: Bool
        switch record.state {
        case .reserved, .draft, .receiving, .ingested: isGarbage = false
        case .failed, .expired, .duplicate:
            // A queued upload is counted until it has been cleaned up.
            guard try exists(UploadNodes.queued(record.id)), record.purpose != .object else { return }
            isGarbage = true
        case .published, .deleted:
            let isDeleted = try exists(FileNodes.deleted(record.id))
            guard isDeleted || record.state == .published else { return }
            isGarbage = isDeleted ? try !KeptFiles.areKept(of: record.id, in: self) : false
        }
        let isUnfinished = [.reserved, .draft, .receiving].contains(record.state)
        let shown = try shownPhotos(of: record)
        let prepared = try RethumbRun.preparedFiles(of: record.id, in: self)
        for (index, photo) in record.orderedPhotos.enumerated() {
            func add(_ kind: UsageKind, _ bytes: Int) { usage.add(isGarbage ? .garbage : kind, bytes: bytes) }
            if !hasObject, photo.droppedAt == nil { add(isUnfinished ? .unfinished : .originals, photo.fileByteCount) }
            let renditions = (index < shown.count ? shown[index] : photo.rendered)?.renditions.values.map(\.self) ?? []
            let names = Set(renditions.map(\.fileName))
            for (name, file) in photo.files {
                let kind: UsageKind =
                    names.contains(name) ? .renditions : prepared.contains(name) ? .prepared : .garbage
                add(kind, file.byteCount)
            }
            // Renditions from earlier versions have no records.
            for name in names.sorted() where photo.files[name] == nil {
                add(.renditions, renditions.first { $0.fileName == name }?.byteCount ?? 0)
            }
        }
    }

    /// Returns the photos of the upload's post; empty if the post does not exist or cannot be read.
    private func shownPhotos(of record: UploadRecord) throws(TreeError) -> [PhotoRecord] {
        // Each post of an object has photos of its own; the upload's record holds those that the last post was switched
        // to.
        guard record.purpose == .post, record.state == .published, let post = try self.record(ofPost: record.id),
            let photos = PostPhotos.read(post), photos.count == record.photos.count
        else { return [] }
        return photos
    }
}
