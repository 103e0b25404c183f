import API
import Model
import Store
import Tree
import Uploads

/// The comparison of one folder of the blob store with what the tree says of it, while both change.
///
/// The folder is listed, the tree is read, and where they differ both are read once more. A file that was there before the
/// reading and behind it, and that nothing claims in the state that was read, garbage neither, is of no use to anybody; one that
/// is claimed, and was in neither list, is missing: no name is ever used again, and whoever makes a file says so first. It may
/// have been deleted between the last reading and the list behind it, and so the tree is asked once more before a file is
/// called missing.
struct FolderInspection: Sendable {
    let claims: FolderClaims
    private(set) var findings: [Finding] = []
    /// The files that are there, and the sum of their bytes.
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
            let message = "the upload was published, and its post is neither there nor deleted"
            findings = [Finding(.postMissing, path: "posts/\(id)", post: id, message: message)]
            return
        }
        guard claims.isClaimed else { return }  // The walk through the folders finds it.
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

    /// What is found of a folder by what was read of it and of the tree once, if that is nothing.
    ///
    /// The folder was listed after the tree was read: what differs may have changed in between, and is for another look.
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
            try add(.missing, file, "the file is not there")
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
            try add(.wrongSize, claim, "the file has \(file.byteCount) bytes, and had \(byteCount)")
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
                    message: "the post has another number of photos than were uploaded for it"))
        }
    }

    /// The renditions that are to be made anew, with the numbers of their photos.
    var renders: [(photo: Int, file: String)] {
        findings.compactMap { finding in
            guard case .render(_, let photo, let file)? = finding.mend else { return nil }
            return (photo, file.split(separator: "/").last.map(String.init) ?? file)
        }
    }

    /// Whether a file has other bytes than were stored.
    var hasDamagedBytes: Bool {
        findings.contains { [.originalDamaged, .renditionDamaged, .objectDamaged].contains($0.document.kind) }
    }

    /// What can be wrong with a file that has to be there.
    enum Fault {
        case missing, wrongSize, damaged
    }

    /// Adds what is wrong with a file that has to be there.
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
