import API
import Blobs
import Posts
import Social
import Tree

/// The switch of a post to renditions that are made anew: new files first, one update, the old files later.
///
/// It is made while nothing else replaces files of posts (`GarbageList.renditionLock`).
struct RenditionSwitch: Sendable {
    let service: UploadService
    /// Where the post stands.
    let path: TreePath
    /// What the post's photos are made of; a photo whose treatment is to change is changed here already.
    let record: UploadRecord
    /// The photos as the post has them, and that value.
    let old: [PhotoRecord]
    let value: TreeValue?

    /// Renders the photos of those numbers, counted from 0 in the post, and has the post name the results.
    ///
    /// - Parameters:
    ///   - isAtOnce: Whether the replaced files are not to be seen any more.
    ///   - add: Adds what belongs into the same update.
    /// - Returns: False, and nothing has changed, when the post's photos changed meanwhile.
    func run(
        _ numbers: Set<Int>, priority: RenderScheduler.Priority, isAtOnce: Bool = false,
        add: (inout MultiPathUpdate) throws -> Void = { _ in }
    ) async throws -> Bool {
        let announcement = try await announce(numbers)
        let renewed = try await render(numbers, priority: priority)
        var update = MultiPathUpdate(preconditions: [.equals(path / "photos", value)])
        // To those whom the post mentions other renditions are no news.
        update.firstStratum = SocialDerivations.firstStratumOfRepair
        if record.purpose == .object {
            try await addObject(renewed, to: &update)
        } else {
            let fields = try PostPhotos(renewed).fields(
                owner: record.owner, post: record.id, at: service.storage.mediaPlace)
            for (name, value) in fields { update[path / name] = value }
        }
        let replaced = try await replaced(by: renewed, andAllOthers: isAtOnce)
        try service.garbage.add(replaced, to: &update, isAtOnce: isAtOnce)
        if let announcement { update[announcement] = nil }
        try add(&update)
        return try await service.tree.commit(update, at: "switch")
    }

    /// Renders the photos of those numbers, and keeps the results for a later switch: the post stays as it is.
    func prepare(_ numbers: Set<Int>, for generation: Generation) async throws {
        let announcement = try await announce(numbers)
        let fields = try PostPhotos(try await render(numbers, priority: .batch)).fields(
            owner: record.owner, post: record.id, at: service.storage.mediaPlace)
        guard let photos = fields["photos"], let id = path.lastKey.flatMap({ PostID($0.string) }) else { return }
        var update = MultiPathUpdate()
        generation.keep(photos, of: id, in: &update)
        if let announcement { update[announcement] = nil }
        try await service.tree.update(update)
    }

    /// The photos, those of these numbers rendered anew.
    private func render(_ numbers: Set<Int>, priority: RenderScheduler.Priority) async throws -> [PhotoRecord] {
        var renewed: [PhotoRecord] = []
        for (index, (number, photo)) in zip(record.photoNumbers, record.orderedPhotos).enumerated() {
            guard numbers.contains(index) else {
                renewed.append(old[index])
                continue
            }
            var rendered = try await service.renditions.render(photo, number: number, of: record, priority: priority)
            rendered.alt = old[index].alt  // A client may have written it since.
            renewed.append(rendered)
        }
        return renewed
    }

    /// What changes of a client's post: the upload keeps what the post has, for others that name the same object.
    private func addObject(_ renewed: [PhotoRecord], to update: inout MultiPathUpdate) async throws {
        var record = record
        for (number, photo) in zip(record.photoNumbers, renewed) {
            record.photos[number]?.rendered = photo
            record.photos[number]?.alt = photo.alt
            let place = Paths.upload(record.id) / "photos" / (try TreeKey(String(number)))
            update[place / "rendered"] = try photo.value(owner: record.owner, post: record.id)
        }
        guard let id = path.lastKey.flatMap({ PostID($0.string) }) else { return }
        let fields = try await service.tree.snapshot { [record] snapshot in
            try snapshot.fields(ofPost: id, with: record, at: service.storage.mediaPlace)
        }
        for (field, value) in fields { update[field] = value }
    }

    /// Lists the files that are about to be made as garbage, for the case that the switch to them never comes.
    private func announce(_ numbers: Set<Int>) async throws -> TreePath? {
        var names: [BlobName] = []
        for (index, (number, photo)) in zip(record.photoNumbers, record.orderedPhotos).enumerated()
        where numbers.contains(index) {
            let recipes = service.settings.recipes(for: photo)
            for recipe in recipes {
                names += try RenditionName(recipe, among: recipes, number: number).candidates.map {
                    try record.blobName($0)
                }
            }
        }
        guard !names.isEmpty else { return nil }
        var update = MultiPathUpdate()
        let announcement = try service.garbage.add(names, to: &update)
        try await service.tree.update(update)
        return announcement
    }

    /// The files that are not shown any more.
    ///
    /// - Parameter areOthers: Whether those of earlier switches are among them, which wait for the end of their grace period.
    private func replaced(by new: [PhotoRecord], andAllOthers areOthers: Bool) async throws -> [BlobName] {
        let kept = Set(new.flatMap { $0.renditions.values.map(\.fileName) })
        // A client may have written other names there than ours; an original is none of them.
        let originals = record.photos.values.map(\.fileName)
        var replaced = Set(old.flatMap { $0.renditions.values.map(\.fileName) })
        if areOthers {
            replaced.formUnion(
                try await service.storage.blobs.fileNames(
                    userID: record.owner.description, postID: record.id.description))
        }
        return replaced.subtracting(kept).subtracting(originals).sorted().compactMap { try? record.blobName($0) }
    }
}
