import API
import Model
import Social
import Store
package import Tree

/// Counts files again in every commit that changes their records. Each user's sums are therefore always current, and
/// cost the same however many files there are.
///
/// The files of an id are always counted from the records, and compared with the line that holds their earlier count. A
/// missing line, as in older stores, is therefore added by the next change of the upload.
package struct UsageDerivation: Derivation {
    package let place: TreePattern
    private let subjects: @Sendable (ChangedNode, TreeSnapshot) throws(TreeError) -> [UsageSubject?]

    private init(
        _ place: TreePath,
        _ subjects: @escaping @Sendable (ChangedNode, TreeSnapshot) throws(TreeError) -> [UsageSubject?]
    ) {
        (self.place, self.subjects) = (TreePattern(place), subjects)
    }

    package func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        var ledger = UsageLedger(in: snapshot)
        for subject in Set(try subjects(node, snapshot).compactMap(\.self)) { try ledger.settle(subject) }
        return ledger.writes + (try forgottenLinks(node, snapshot))
    }

    /// All usage derivations. They must run after the derivations that record deletions, because deleted files are
    /// counted, too.
    package static let all: [any Derivation] = [
        UsageDerivation(UploadNodes.upload.path) { node, snapshot throws(TreeError) in
            try id(node).map { id throws(TreeError) in [try snapshot.usageSubject(ofUpload: id)] } ?? []
        },
        // The files of an upload whose record is deleted.
        UsageDerivation(UploadNodes.upload.path / "owner") { node, _ throws(TreeError) in
            guard node.before != node.after, let id = PostID(node.keys[0].string) else { return [] }
            return [node.before, node.after].map { state in
                guard case .leaf(.string(let owner)) = state else { return nil }
                return (try? TreeKey(owner)).map { UsageSubject(owner: $0, id: id) }
            }
        },
        UsageDerivation(UploadNodes.queued.path) { node, snapshot throws(TreeError) in
            guard !node.after.isThere, let id = id(node) else { return [] }
            return [try snapshot.usageSubject(ofUpload: id)]
        },
        UsageDerivation(FileNodes.deleted.path) { node, snapshot throws(TreeError) in
            try id(node).map { id throws(TreeError) in [try snapshot.usageSubject(ofUpload: id)] } ?? []
        },
        UsageDerivation(WorkNodes.prepared.path) { node, snapshot throws(TreeError) in
            guard let id = PostID(node.keys[0].string) else { return [] }
            return [try snapshot.usageSubject(ofUpload: id)]
        },
        UsageDerivation(UploadNodes.resumableFileOf.path) { node, _ throws(TreeError) in
            id(node).map { [UsageSubject(owner: node.keys[0], id: $0)] } ?? []
        },
        UsageDerivation(UploadNodes.resumableFile.path / "length") { node, snapshot throws(TreeError) in
            guard node.before != node.after, let id = id(node), let file = try ResumableFile(id, in: snapshot) else {
                return []
            }
            return [UsageSubject(owner: file.owner, id: id)]
        },
        UsageDerivation(ObjectNodes.file.path) { node, _ throws(TreeError) in
            guard node.before != node.after, let id = id(node) else { return [] }
            return [node.before, node.after].map { state in
                guard case .leaf(let value) = state, let owner = ObjectFile(value).flatMap({ try? TreeKey($0.folder) })
                else { return nil }
                return UsageSubject(owner: owner, id: id)
            }
        },
        UsageDerivation(ObjectKey.pattern.path) { node, _ throws(TreeError) in
            guard let name = ObjectKey.name(at: ObjectKey.pattern.path(filledWith: node.keys)) else { return [] }
            return [node.before, node.after].map { state in
                guard case .leaf(let value) = state, let blob = (try? StoredObject(name, value))?.blob,
                    let owner = try? TreeKey(blob.userID), let id = PostID(blob.postID)
                else { return nil }
                return UsageSubject(owner: owner, id: id)
            }
        },
        UsageDerivation(PeopleNodes.person.path / "profile_picture") { node, _ throws(TreeError) in
            guard node.before != node.after else { return [] }
            return [node.before, node.after].map { state in
                guard case .leaf(.string(let text)) = state, let address = MediaAddress(text),
                    address.owner.key == node.keys[0]
                else { return nil }
                return UsageSubject(owner: node.keys[0], id: address.id)
            }
        },
        UsageDerivation(PostNodes.post.path, ofPost), UsageDerivation(AudienceNodes.post.path, ofPost),
    ]

    private static func id(_ node: ChangedNode) -> PostID? { node.keys.last.flatMap { PostID($0.string) } }

    /// Returns the upload of a post, the upload of the object that it shows, and that of the object that it showed
    /// before.
    private static let ofPost: @Sendable (ChangedNode, TreeSnapshot) throws(TreeError) -> [UsageSubject?] = {
        node, snapshot throws(TreeError) in
        guard let id = id(node) else { return [] }
        var uploads = [id]
        if let link = try ObjectLinks.upload(ofPost: id, in: snapshot) { uploads.append(link) }
        if let link = try snapshot.get(UsageNodes.formerLink(id))?.stringValue.flatMap({ PostID($0) }) {
            uploads.append(link)
        }
        return try uploads.map { upload throws(TreeError) in try snapshot.usageSubject(ofUpload: upload) }
    }

    /// Deletes the record of the object that the post showed before, now that it has been counted.
    private func forgottenLinks(_ node: ChangedNode, _ snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        guard place == FormerLink.place else { return [] }
        let path = UsageNodes.formerLink(node.keys[0])
        return try snapshot.exists(path) ? [TreeWrite(path: path, value: nil)] : []
    }
}

/// Records which object a post showed, for derivations that run after ``ObjectPosts`` in the same commit: by then the
/// post may show another object.
package struct FormerLink: Derivation {

    package init() {
    }
    static let place = PostNodes.post.pattern

    package var place: TreePattern { Self.place }

    package func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard let id = PostID(node.keys[0].string), let link = try ObjectLinks.upload(ofPost: id, in: snapshot)
        else { return [] }
        return [TreeWrite(path: UsageNodes.formerLink(id), value: .string(link.description))]
    }
}
