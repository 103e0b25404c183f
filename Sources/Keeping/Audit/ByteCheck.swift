import API
import Concurrency
import Cryptography
import Files
import Model
import Store
import Tree
import Uploads

/// Reads the files of one folder, and compares their bytes with the recorded digests.
struct ByteCheck: Sendable {
    let storage: StorageFolder
    let limiter: RateLimiter

    /// Adds the faults of the files' bytes to the findings of a folder.
    ///
    /// For a rendition without a digest, as an earlier version made it, the digest of its present bytes is recorded.
    ///
    /// - Returns: The values to write for the folder, apart from the time of this reading.
    func run(_ inspection: inout FolderInspection) async throws -> [TreePath: TreeValue] {
        let claims = inspection.claims
        var learnt: [TreePath: TreeValue] = [:]
        guard !claims.isOpen, claims.isClaimed else { return learnt }
        let sizes = Dictionary(inspection.present.map { ($0.name, $0.byteCount) }) { one, _ in one }
        for file in claims.byName.values.sorted(by: { $0.name < $1.name }) {
            // Missing files and wrong sizes have been found already.
            guard let byteCount = sizes[file.name], file.byteCount.map({ $0 == byteCount }) ?? true else { continue }
            do {
                let reader = try await storage.blobs.open(try inspection.name(file.name))
                if let digest = file.digest {
                    if try await !digest.matches(reader, at: limiter) {
                        try inspection.add(.damaged, file, "the file has other bytes than were stored")
                    }
                } else if case .rendition(let photo) = file.role, let record = claims.record {
                    let sha256 = try await FileDigest.sha256(of: reader, at: limiter)
                    let path = UploadNodes.photo(record.photoNumbers[photo], of: record.id) / "files"
                    learnt[path / (try RenditionFile.key(file.name))] =
                        RenditionFile(
                            sha256: sha256, byteCount: byteCount, recipe: "-", engine: "-", source: "-", madeAt: .epoch
                        ).value
                }
            } catch let error as FileError where error.code == .notFound {
                continue  // The file has been deleted in the meantime, as replaced files are.
            } catch let error as FileError where [.io, .wrongKind, .permission].contains(error.code) {
                try inspection.add(.damaged, file, "the file cannot be read: \(error.message)")
            }
        }
        return learnt
    }
}
