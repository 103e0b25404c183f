public import Foundation
import TintypeModel

/// A folder by which a share extension hands posts over to the app: the extension has no session, and no store.
///
/// In the extension:
///
///     try HandOver(folder: sharedFolder).put(PostDraft(text: text, photos: photos))
///
/// In the app, which makes each of them a post exactly once:
///
///     try await store.adoptPosts(from: HandOver(folder: sharedFolder))
///
/// Whatever is in the folder belongs to the hand-over. Names that begin with a dot are ignored.
public struct HandOver: Sendable {
    /// The end of the name of a post that is complete.
    static let postSuffix = ".post"
    /// The end of the name of a post whose photos are still being copied.
    static let draftSuffix = ".draft"
    static let manifestName = "post.json"
    /// The folder for what cannot become a post.
    static let asideName = "set-aside"
    /// The time after which a post that is not complete was given up, in seconds.
    private static let draftLifetime: TimeInterval = 86_400

    let folder: URL

    /// Creates a hand-over.
    ///
    /// - Parameter folder: A folder for this purpose alone, which the app and its extension share; it is created when it
    ///   is needed.
    public init(folder: URL) { self.folder = folder }

    /// Puts a post into the folder. It is complete, and durable, when this returns; if the process ends before, there is
    /// no post. Posts are adopted in the order in which they were put.
    ///
    /// - Parameters:
    ///   - draft: The post. The folder keeps links to its photos or copies of them, so that they may be deleted at once.
    ///   - date: The time at which the person wrote it.
    /// - Throws: An error of the file system; then there is no post.
    public func put(_ draft: PostDraft, at date: Date = Date()) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        removeAbandonedDrafts(at: date)
        let id = UUID()
        let place = folder.appendingPathComponent(id.uuidString + Self.draftSuffix)
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            let photos = try PhotoFolder(url: place).keep(draft.photos)
            let post = HandedPost(
                date: date, text: draft.text, mentions: draft.mentions, audiences: draft.audiences, photos: photos)
            let manifest = place.appendingPathComponent(Self.manifestName)
            try JSONEncoder().encode(post).write(to: manifest)
            try Self.synchronize(manifest)
            try Self.synchronize(place)
            let name = Self.name(number: (try numbers().max() ?? 0) + 1, id)
            try FileManager.default.moveItem(at: place, to: folder.appendingPathComponent(name))
            try Self.synchronize(folder)
        } catch {
            try? FileManager.default.removeItem(at: place)
            throw error
        }
    }

    /// Deletes what an extension that was killed has left.
    func removeAbandonedDrafts(at date: Date) {
        for name in (try? names()) ?? [] where name.hasSuffix(Self.draftSuffix) {
            let place = folder.appendingPathComponent(name)
            let values = try? place.resourceValues(forKeys: [.contentModificationDateKey])
            guard let changed = values?.contentModificationDate else { continue }
            if date.timeIntervalSince(changed) > Self.draftLifetime { try? FileManager.default.removeItem(at: place) }
        }
    }

    // MARK: Names

    /// Returns the names of what is in the folder, in their order; there are none if there is no folder.
    ///
    /// - Throws: An error of the file system.
    func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { !$0.hasPrefix(".") && $0 != Self.asideName }.sorted()
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile { return [] }
    }

    /// The id of a complete post by its name; nil for another name.
    static func id(_ name: String) -> UUID? {
        guard name.hasSuffix(postSuffix), number(name) != nil else { return nil }
        return UUID(uuidString: String(name.dropFirst(17).dropLast(postSuffix.count)))
    }

    private static func name(number: UInt64, _ id: UUID) -> String {
        Place.padded(number) + "-" + id.uuidString + postSuffix
    }

    /// The number by which a complete post has its place in the order; nil for another name.
    private static func number(_ name: String) -> UInt64? {
        guard name.hasSuffix(postSuffix), name.dropFirst(16).first == "-" else { return nil }
        return UInt64(name.prefix(16), radix: 16)
    }

    private func numbers() throws -> [UInt64] { try names().compactMap { Self.number($0) }.filter { $0 < .max } }

    /// Waits until a file, or the names in a folder, are on the disk.
    static func synchronize(_ place: URL) throws {
        let handle = try FileHandle(forReadingFrom: place)
        defer { try? handle.close() }
        try handle.synchronize()
    }
}

/// A post of a hand-over, as its file has it.
struct HandedPost: Codable, Hashable, Sendable {
    let date: Date
    let text: String?
    let mentions: [Mention]
    let audiences: [Audience.ID]
    /// The photos, whose files are beside it.
    let photos: [KeptPhoto]
}
