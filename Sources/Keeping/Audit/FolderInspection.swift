import API
import Model
import Store
import Tree
import Uploads

/// The comparison of one folder of the blob store with the tree, while both change.
///
/// The folder is listed, then the tree is read; if they differ, both are read once more. A file that is in both lists,
/// and that nothing claims in the state that was read, not even as garbage, is superfluous. A file that is claimed and
/// is in neither list is missing, because a name is never used again, and is recorded before its file is created. The
/// file may have been deleted between the last read of the tree and the list after it, so the tree is read once more
/// before a file is reported as missing.
struct FolderInspection: Sendable {
    let claims: FolderClaims
    private(set) var findings: [Finding] = []
    /// The files that exist, with their sizes.
    let present: [BlobFile]

    init(
        of id: PostID, owner: String, knowing garbage: GarbageNames, in tree: TreeStore, beside blobs: any BlobStore
    ) async throws {
        var claims = try await tree.snapshot { try FolderClaims(of: id, owner: owner, in: $0) }
        let first = try await blobs.files(userID: owner, postID: id.string)
        let names = Set(first.map(\.name))
        var wanted = claims.byName
        func isUsed(_ name: String) -> Bool { wanted[name] != nil || garbage.contains("\(owner)/\(id)/\(name)") }
        var second = names
        if !claims.isOpen, claims.isClaimed,
            wanted.keys.contains(where: { !names.contains($0) }) || !names.allSatisfy(isUsed)
        {
            claims = try await tree.snapshot { snapshot in
                try garbage.update(in: snapshot)
                return try FolderClaims(of: id, owner: owner, in: snapshot)
            }
            wanted = claims.byName
            second = Set(try await blobs.fileNames(userID: owner, postID: id.string))
        }
        (self.claims, present) = (claims, first)
        guard !claims.isOpen else { return }
        if claims.lacksPost {
            let message = "the upload was published, but its post does not exist and was not deleted"
            findings = [Finding(.postMissing, path: "posts/\(id)", post: id, message: message)]
            return
        }
        guard claims.isClaimed else { return }  // The walk over all folders reports it.
        var missing = wanted.values.filter { !names.contains($0.name) && !second.contains($0.name) }
        if !missing.isEmpty {
            let last = try await tree.snapshot { try FolderClaims(of: id, owner: owner, in: $0).byName }
            missing.removeAll { last[$0.name] == nil }
        }
        let superfluous = first.filter { second.contains($0.name) && !isUsed($0.name) }
        try note(missing: missing, superfluous: superfluous)
        try noteSizes(wanted)
        noteRecord()
    }

    /// Creates the inspection of a sound folder, from a single list of its files and a single read of the tree; nil if
    /// they differ.
    ///
    /// The folder was listed after the tree was read, so a difference may be a change in between, and needs a second
    /// read.
    init?(of claims: FolderClaims, ifSoundWith files: [BlobFile], knowing garbage: GarbageNames) {
        (self.claims, present) = (claims, files)
        guard !claims.isOpen, claims.isClaimed || claims.lacksPost else { return }
        guard !claims.lacksPost, claims.foreign.isEmpty, !claims.hasOtherPhotos else { return nil }
        var wanted = claims.byName
        for file in files {
            if let claim = wanted.removeValue(forKey: file.name) {
                guard claim.byteCount.map({ $0 == file.byteCount }) ?? true else { return nil }
            } else if !garbage.contains("\(claims.owner)/\(claims.id)/\(file.name)") {
                return nil
            }
        }
        guard wanted.isEmpty else { return nil }
    }

    private mutating func note(missing: [FolderClaims.File], superfluous: [BlobFile]) throws {
        for file in missing.sorted(by: { $0.name < $1.name }) {
            try add(.missing, file, "the file is missing")
        }
        for file in superfluous {
            let name = try name(file.name)
            findings.append(
                Finding(
                    .orphanedFile, name, message: "nothing names the file", bytes: file.byteCount, mend: .remove(name)))
        }
    }

    private mutating func noteSizes(_ wanted: [String: FolderClaims.File]) throws {
        for file in present {
            guard let claim = wanted[file.name], let byteCount = claim.byteCount, byteCount != file.byteCount else {
                continue
            }
            try add(.wrongSize, claim, "the file has \(file.byteCount) bytes; the recorded size is \(byteCount)")
        }
    }

    private mutating func noteRecord() {
        let upload = claims.record?.id
        for (photo, uri) in claims.foreign {
            findings.append(
                Finding(
                    .renditionForeign, path: uri, post: claims.id, message: "the post names a file of another upload",
                    mend: upload.map { .render(upload: $0, photo: photo, file: uri) }))
        }
        if claims.hasOtherPhotos {
            findings.append(
                Finding(
                    .photosDiffer, path: "posts/\(claims.id)/photos", post: claims.id,
                    message: "the post has another number of photos than its upload"))
        }
    }

    /// The renditions that must be rendered again, with the numbers of their photos.
    var renders: [(photo: Int, file: String)] {
        findings.compactMap { finding in
            guard case .render(_, let photo, let file)? = finding.mend else { return nil }
            return (photo, file.split(separator: "/").last.map(String.init) ?? file)
        }
    }

    /// Whether the bytes of a file differ from those that were stored.
    var hasDamagedBytes: Bool {
        findings.contains { [.originalDamaged, .renditionDamaged, .objectDamaged].contains($0.document.kind) }
    }

    /// A fault of a file that must exist.
    enum Fault {
        case missing, wrongSize, damaged
    }

    /// Adds a fault of a file that must exist.
    mutating func add(_ fault: Fault, _ file: FolderClaims.File, _ message: String) throws {
        var mend: Finding.Mend?
        if case .rendition(let photo) = file.role, let upload = claims.record?.id {
            mend = .render(upload: upload, photo: photo, file: file.name)
        }
        findings.append(Finding(fault.kind(of: file.role), try name(file.name), message: message, mend: mend))
    }

    func name(_ fileName: String) throws -> BlobName {
        try BlobName(userID: claims.owner, postID: claims.id.string, fileName: fileName)
    }
}

extension FolderInspection.Fault {
    fileprivate func kind(of role: FolderClaims.Role) -> FindingKind {
        switch (self, role) {
        case (.missing, .original): .originalMissing
        case (.wrongSize, .original): .originalWrongSize
        case (.damaged, .original): .originalDamaged
        case (.missing, .object): .objectMissing
        case (.wrongSize, .object): .objectWrongSize
        case (.damaged, .object): .objectDamaged
        case (.missing, .rendition), (.missing, .prepared): .renditionMissing
        case (.wrongSize, .rendition), (.wrongSize, .prepared): .renditionWrongSize
        case (.damaged, .rendition), (.damaged, .prepared): .renditionDamaged
        }
    }
}
