import API
import Concurrency
import Files
import Imaging
import Model
import Store
import Tree
import Uploads

/// A post to whose originals a rule applies, in one state of the tree.
struct OriginalPost: Sendable {
    let tools: PostTools
    let record: UploadRecord
    let path: TreePath
    /// The value of the post's photos in the tree; nil if it has none.
    let photos: TreeValue?
    private let shown: [PhotoRecord]
    /// Whether a rethumb run has made renditions of the post that are not shown yet.
    private let isPrepared: Bool

    /// - Returns: Nil if the post does not exist, or has nothing that was uploaded here.
    init?(_ id: PostID, in tools: PostTools) async throws {
        let read = try await tools.tree.snapshot { snapshot in
            (
                path: try snapshot.path(ofPost: id), post: try snapshot.record(ofPost: id),
                record: try ObjectPosts.upload(behindPost: id, in: snapshot),
                isPrepared: try !RethumbRun.preparedFiles(of: id, in: snapshot).isEmpty
            )
        }
        guard let path = read.path, let post = read.post, let record = read.record, record.state == .published else {
            return nil
        }
        (self.tools, self.record, self.path, isPrepared) = (tools, record, path, read.isPrepared)
        photos = post["photos"]
        shown = PostPhotos.read(post) ?? []
    }

    /// Returns the reason why an action cannot be applied to an original; nil if it can.
    ///
    /// - Parameters:
    ///   - index: The number of the photo in the post, counted from 0.
    ///   - readsFiles: Whether the bytes of renditions are read and compared before the code relies on them.
    func obstacle(
        to action: OriginalRule.Action, ofPhoto index: Int, readsFiles: Bool
    ) async throws -> OriginalObstacle? {
        guard record.purpose == .post else { return .bucket }
        let photo = record.orderedPhotos[index]
        guard photo.droppedAt == nil else { return .done }
        switch action {
        case .reencode(let quality): return obstacle(toReencoding: photo, quality)
        case .drop: return try await obstacle(toDropping: photo, index, readsFiles: readsFiles)
        }
    }

    private func obstacle(toReencoding photo: UploadRecord.Photo, _ quality: Int) -> OriginalObstacle? {
        // Once is enough: each encoding loses quality.
        if photo.reencoding?.source != nil { return .done }
        guard photo.fileName.hasSuffix(".\(ImageFormat.jpeg.fileExtension)") else { return .format }
        if let tried = photo.reencoding?.quality, tried <= quality { return .hardlySmaller }
        return nil
    }

    private func obstacle(
        toDropping photo: UploadRecord.Photo, _ index: Int, readsFiles: Bool
    ) async throws -> OriginalObstacle? {
        if photo.isBlurred { return .blurred }
        if isPrepared { return .unseenRun }
        let recipes = tools.settings.recipes
        guard shown.count == record.photos.count, !shown[index].isBlurred,
            let largest = recipes.max(by: { $0.width * $0.height < $1.width * $1.height })
        else { return .renditionsMissing }
        let renditions = shown[index].renditions
        for recipe in recipes {
            guard let rendition = renditions[recipe.name],
                RenditionName.has(recipe.fingerprint(among: recipes), in: rendition.fileName)
            else { return .renditionsMissing }
            // Clients can write anything there; the record's list of renditions can be trusted.
            guard let file = photo.files[rendition.fileName] else { return .renditionsUnknown }
            guard try await isSound(rendition.fileName, file, readsFiles: readsFiles) else { return .renditionsDamaged }
        }
        let wanted = largest.fittedSize(for: PixelSize(width: shown[index].width, height: shown[index].height))
        guard let rendition = renditions[largest.name], rendition.width >= wanted.width,
            rendition.height >= wanted.height
        else { return .renditionsSmall }
        return nil
    }

    /// Whether the file of a rendition exists with the recorded size and, if files are read, the recorded bytes.
    private func isSound(_ name: String, _ known: RenditionFile, readsFiles: Bool) async throws -> Bool {
        do {
            let file = try await tools.blobs.open(try record.blobName(name))
            let byteCount = try await FileThreads.run { () throws(FileError) in try file.byteCount() }
            guard byteCount == known.byteCount else { return false }
            guard readsFiles else { return true }
            return try await FileDigest.sha256(known.sha256).matches(file, at: RateLimiter(perSecond: nil))
        } catch let error as FileError where [.notFound, .wrongKind].contains(error.code) {
            return false
        }
    }
}
