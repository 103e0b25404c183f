import Files
import Imaging
import Model
import Store
import Tree
import Uploads

/// The beginning and the end of a switch, between which it may be interrupted at any point. Files are listed as garbage
/// before they are created, and the next attempt reuses the files that an attempt has finished, so that nothing is
/// encoded twice or left behind.
extension RenditionSwitch {
    /// The state at the beginning of an attempt.
    struct Start: Sendable {
        let attempt: RenditionAttempt
        /// The existing renditions of each photo that will be rendered, by its index in the post.
        fileprivate(set) var hands: [Int: ExistingRenditions] = [:]
        /// The entries of the garbage list with the files of this attempt and of those before it.
        fileprivate var announcements: [TreePath] = []
        /// The files that earlier attempts have created.
        fileprivate var left: Set<String> = []
        /// Whether the tree has a record of any attempt.
        fileprivate var isKnown: Bool { !announcements.isEmpty }
    }

    /// Finds the renditions that exist already, and lists the files that will be created as garbage, in case the switch
    /// to them never happens.
    func begin(_ numbers: Set<Int>) async throws -> Start {
        var start = Start(attempt: RenditionAttempt())
        let known = try await tools.tree.children(of: UploadNodes.attempt(record.id))
        let unfinished = known.compactMap { UnfinishedAttempt($0) }
        if !unfinished.isEmpty {
            let there = try await tools.blobs.fileNames(
                userID: record.owner.description, postID: record.id.description)
            start.left = Set(there.filter { name in unfinished.contains { $0.attempt.made(name) } })
            start.announcements = unfinished.map { FileNodes.garbage() / $0.garbage }
        }
        var (names, sources): ([BlobName], [Int: String]) = ([], [:])
        for (index, (number, photo)) in zip(record.photoNumbers, record.orderedPhotos).enumerated()
        where numbers.contains(index) {
            let hand = try await hand(of: photo, at: index, number: number, unfinished)
            let recipes = photo.treated(recipes)
            for recipe in recipes where !hand.has(recipe, among: recipes) {
                let name = RenditionName(recipe, among: recipes, number: number, attempt: start.attempt)
                names += try name.candidates.map { try record.blobName($0) }
                sources[number] = photo.fileSHA256
            }
            start.hands[index] = hand
        }
        var update = MultiPathUpdate()
        guard let entry = try tools.garbage.add(names, of: start.attempt, to: &update), let key = entry.lastKey else {
            return start
        }
        let attempt = UnfinishedAttempt(
            start.attempt, garbage: key, engine: tools.settings.decoderVersion, sources: sources)
        update[UploadNodes.attempt(record.id) / (try TreeKey(start.attempt.description))] = attempt.value
        start.announcements.append(entry)
        try await tools.tree.update(update)
        return start
    }

    /// The existing renditions of a photo: those that the post shows, and those that interrupted attempts have
    /// finished.
    private func hand(
        of photo: UploadRecord.Photo, at index: Int, number: Int, _ unfinished: [UnfinishedAttempt]
    ) async throws -> ExistingRenditions {
        var hand = ExistingRenditions(shown: old[index].renditions.filter { !damaged.contains($0.value.fileName) })
        hand.photos = [photo.rendered, old[index]].compactMap(\.self)
        let recipes = photo.treated(recipes)
        let engine = tools.settings.decoderVersion
        for attempt in unfinished where attempt.holds(photo, number: number, engine: engine) {
            for recipe in recipes where !hand.has(recipe, among: recipes) {
                let name = RenditionName(recipe, among: recipes, number: number, attempt: attempt.attempt)
                hand.finished[recipe.name] = try await finished(name, by: recipe, of: hand.photos[0])
            }
        }
        return hand
    }

    /// Returns a rendition that an earlier attempt has written; nil if there is none. A file gets its name only when it
    /// is whole.
    private func finished(
        _ name: RenditionName, by recipe: Recipe, of photo: PhotoRecord
    ) async throws -> ExistingRenditions.Finished? {
        for format in recipe.outputFormats {
            guard let bytes = try await bytes(of: try record.blobName(name.fileName(format))) else { continue }
            let size = recipe.fittedSize(for: PixelSize(width: photo.width, height: photo.height))
            return ExistingRenditions.Finished(
                rendition: PhotoRecord.Rendition(
                    fileName: name.fileName(format), width: size.width, height: size.height, byteCount: bytes.count,
                    contentType: format.contentType),
                bytes: bytes)
        }
        return nil
    }

    /// The bytes of a file; nil if it does not exist.
    private func bytes(of name: BlobName) async throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            let file = try await tools.blobs.open(name)
            return try await FileThreads.run { () throws(FileError) in try file.readAll(maxBytes: Self.maxBytes) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// The limit of a rendition's size, in bytes (`RenderRequest`).
    private static var maxBytes: Int { 256 << 20 }

    /// Ends the attempt, in the update that shows or keeps its files: these are removed from the garbage list, and
    /// files of earlier attempts that are not needed are added to it.
    func end(
        _ start: Start, showing renewed: [PhotoRecord], besides replaced: [BlobName], in update: inout MultiPathUpdate
    ) throws {
        guard start.isKnown else { return }
        for entry in start.announcements { update[entry] = nil }
        update[UploadNodes.attempt(record.id)] = nil
        var left = start.left.subtracting(replaced.map(\.fileName))
        for photo in renewed { left.subtract(photo.renditions.values.map(\.fileName)) }
        let names: [BlobName] = try left.sorted().map { name in try record.blobName(name) }
        try tools.garbage.add(names, to: &update)
    }
}
