import API
import Imaging
import Model
import Social
import Store
import Tree
import Uploads

/// The switch of a post to new renditions: new files first, then one update, the old files later.
///
/// The caller must hold the post's lock (`GarbageList.locks`), so that nothing else replaces its files.
struct RenditionSwitch: Sendable {
    let tools: PostTools
    /// The path of the post.
    let path: TreePath
    /// The record of the upload that the post shows, with the treatment of its photos already changed.
    let record: UploadRecord
    /// The photos as the post shows them, and their value in the tree.
    let old: [PhotoRecord]
    let value: TreeValue?
    /// The recipes of all photos, before moderation changes them.
    let recipes: [Recipe]
    /// The names of files that are replaced although their recipes have not changed.
    var damaged: Set<String> = []

    /// Renders the photos with these numbers, counted from 0 in the post, and makes the post name the results.
    ///
    /// - Parameters:
    ///   - isAtOnce: Whether the replaced files are deleted at once, without a grace period.
    ///   - add: Adds further writes to the same update; it receives the entry of the garbage list with the replaced
    ///     files.
    /// - Returns: False if the post's photos changed in the meantime; nothing has changed then.
    func run(
        _ numbers: Set<Int>, priority: RenderScheduler.Priority, isAtOnce: Bool = false,
        add: (inout MultiPathUpdate, _ garbage: TreePath?) throws -> Void = { _, _ in }
    ) async throws -> Bool {
        let start = try await begin(numbers)
        let (renewed, files) = try await render(numbers, priority: priority, start)
        var update = MultiPathUpdate(preconditions: [.equals(path / "photos", value)])
        for (path, line) in files { update[path] = line }
        // New renditions are no news to the users whom the post mentions.
        update.scope = .repair
        if record.purpose == .object {
            try await addObject(renewed, to: &update)
        } else {
            let fields = try PostPhotos(renewed).fields(
                owner: record.owner, post: record.id, at: tools.publicBase)
            for (name, value) in fields { update[path / name] = value }
        }
        let replaced = try await replaced(by: renewed, andAllOthers: isAtOnce)
        let garbage = try tools.garbage.add(replaced, to: &update, isAtOnce: isAtOnce)
        try end(start, showing: renewed, besides: replaced, in: &update)
        try add(&update, garbage)
        return try await tools.tree.commit(update, at: "switch")
    }

    /// Renders the photos with these numbers, and keeps the results for a later switch; the post does not change.
    ///
    /// - Returns: False if the post was deleted in the meantime; nothing is kept then.
    func prepare(_ numbers: Set<Int>, for rethumbRun: RethumbRun) async throws -> Bool {
        let start = try await begin(numbers)
        let (renewed, files) = try await render(numbers, priority: .batch, start)
        let fields = try PostPhotos(renewed).fields(
            owner: record.owner, post: record.id, at: tools.publicBase)
        guard let photos = fields["photos"], let id = path.lastKey.flatMap({ PostID($0.string) }) else { return false }
        var update = MultiPathUpdate(preconditions: [.exists(UploadNodes.upload(record.id))])
        for (path, line) in files { update[path] = line }
        rethumbRun.keep(photos, of: id, in: &update)
        try end(start, showing: renewed, besides: [], in: &update)
        return try await tools.tree.commit(update, at: "prepared")
    }

    /// Renders the photos with these numbers again, and returns all photos, with the new data about their files for the
    /// upload's record.
    private func render(
        _ numbers: Set<Int>, priority: RenderScheduler.Priority, _ start: Start
    ) async throws -> (photos: [PhotoRecord], files: [TreePath: TreeValue]) {
        var (renewed, files): ([PhotoRecord], [TreePath: TreeValue]) = ([], [:])
        for (index, (number, photo)) in zip(record.photoNumbers, record.orderedPhotos).enumerated() {
            guard numbers.contains(index), let hand = start.hands[index] else {
                renewed.append(old[index])
                continue
            }
            let made = try await tools.renditions.render(
                photo, number: number, of: record, priority: priority, by: recipes, attempt: start.attempt, with: hand)
            guard var rendered = made.rendered else { continue }
            (rendered.alt, rendered.number) = (old[index].alt, old[index].number)  // An edit may have set them since.
            renewed.append(rendered)
            for (name, file) in made.files where photo.files[name] == nil {
                files[UploadNodes.photo(number, of: record.id) / "files" / (try RenditionFile.key(name))] = file.value
            }
        }
        return (renewed, files)
    }

    /// Adds the changes that the switch of a client's post needs: the upload keeps the photos for other posts that name
    /// the same object.
    private func addObject(_ renewed: [PhotoRecord], to update: inout MultiPathUpdate) async throws {
        var record = record
        for (number, photo) in zip(record.photoNumbers, renewed) {
            record.photos[number]?.rendered = photo
            record.photos[number]?.alt = photo.alt
            update[UploadNodes.photo(number, of: record.id) / "rendered"] = try photo.value(
                owner: record.owner, post: record.id)
        }
        guard let id = path.lastKey.flatMap({ PostID($0.string) }) else { return }
        let fields = try await tools.tree.snapshot { [record] snapshot in
            try ObjectPosts.fields(ofPost: id, with: record, at: tools.publicBase, in: snapshot)
        }
        for (field, value) in fields { update[field] = value }
    }

    /// The files that are no longer shown.
    ///
    /// - Parameter areOthers: Whether to include the files of earlier switches that wait for the end of their grace
    ///   period.
    private func replaced(by new: [PhotoRecord], andAllOthers areOthers: Bool) async throws -> [BlobName] {
        let kept = Set(new.flatMap { $0.renditions.values.map(\.fileName) })
        // A client may have written other names there; an original must not be among them.
        let originals = record.photos.values.map(\.fileName)
        var replaced = Set(old.flatMap { $0.renditions.values.map(\.fileName) })
        if areOthers {
            replaced.formUnion(
                try await tools.blobs.fileNames(
                    userID: record.owner.description, postID: record.id.description))
        }
        return replaced.subtracting(kept).subtracting(originals).sorted().compactMap { try? record.blobName($0) }
    }
}

/// The error when a post's photos were changed at the same time; the post must be examined again.
struct PostChanged: Error {}
