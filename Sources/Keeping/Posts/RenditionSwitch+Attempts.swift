import Files
import Imaging
import Model
import Store
import Tree
import Uploads

/// The beginning of a switch and its end, between which it may be cut off anywhere: files are listed as garbage before they are
/// made, and what an attempt has finished is taken over by the next one, so that nothing is encoded twice or left behind.
extension RenditionSwitch {
    /// What an attempt has to begin with.
    struct Start: Sendable {
        let attempt: RenditionAttempt
        /// What there is of each photo that is to be rendered, by its place in the post.
        fileprivate(set) var hands: [Int: ExistingRenditions] = [:]
        /// The entries of the garbage list that have the files of this attempt, and of those before it.
        fileprivate var announcements: [TreePath] = []
        /// The files that attempts before it have made.
        fileprivate var left: Set<String> = []
        /// Whether the tree knows of any attempt.
        fileprivate var isKnown: Bool { !announcements.isEmpty }
    }

    /// Finds what is there already, and lists the files that are about to be made as garbage, for the case that the switch to
    /// them never comes.
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

    /// What there is of a photo: what the post shows, and what attempts that were cut off have finished.
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

    /// A rendition that an attempt has written: a file is under its name once it is whole. Nil for none.
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

    /// The bytes of a file; nil where there is none.
    private func bytes(of name: BlobName) async throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            let file = try await tools.blobs.open(name)
            return try await FileThreads.run { () throws(FileError) in try file.readAll(maxBytes: Self.maxBytes) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// No rendition has more (`RenderRequest`).
    private static var maxBytes: Int { 256 << 20 }

    /// Ends the attempt, in the update that shows or keeps what it has made: its files are no garbage any more, and those that
    /// attempts before it have left, and that nobody needs, are.
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
