import Files
import Keeping

/// A walk through a user's folder and those below it, in the order of names, a page at a time: however many files there
/// are, only some thousand names are in memory, and only what is looked at is looked up.
struct InboxWalk: Sendable {
    /// Names looked at without a result before others have their turn.
    private static let maxLooks = 256

    private struct Level: Sendable {
        let place: InboxFolder
        /// The last one first.
        var names: [RawName] = []
        var cursor: RawName?
        var isLastPage = false
    }

    private var levels: [Level]
    /// How many names of one folder are in memory.
    private let pageLength: Int

    /// Begins at a root. The inbox's own walk finds the users' folders and does not enter them.
    init(_ root: InboxFolder.Root, pageLength: Int) {
        levels = [Level(place: InboxFolder(root: root))]
        self.pageLength = pageLength
    }

    /// Goes on to the next name about which something is to be done.
    ///
    /// - Returns: What was found, and where; `nothing` when others should have a turn; nil at the end.
    mutating func next(
        in inbox: Directory, events: InboxEvents, stability: FileStability, maxPhotos: Int
    ) throws(FileError) -> (finding: FileInspector.Finding, place: InboxFolder)? {
        var looks = 0
        var open: (place: InboxFolder, folder: Directory)?
        while var level = levels.popLast() {
            let folder: Directory
            do throws(FileError) {
                if let open, open.place == level.place {
                    folder = open.folder
                } else {
                    folder = try level.place.open(in: inbox)
                    open = (level.place, folder)
                }
                if level.names.isEmpty, !level.isLastPage { try turn(&level, in: folder, events) }
            } catch {
                if error.code == .notFound { continue }  // Somebody took the folder away.
                throw error
            }
            guard let name = level.names.popLast() else { continue }
            levels.append(level)
            let look = FileInspector(
                folder: folder, place: level.place, stability: stability, maxPhotos: maxPhotos)
            let finding = try look.look(at: name)
            switch finding {
            case .nothing: break
            case .folder(let place) where level.place.root != .inbox: levels.append(Level(place: place))
            default: return (finding, level.place)
            }
            looks += 1
            if looks >= Self.maxLooks { return (.nothing, level.place) }
        }
        return nil
    }

    /// Turns to the next page of a folder.
    private func turn(_ level: inout Level, in folder: Directory, _ events: InboxEvents) throws(FileError) {
        if level.cursor == nil { events.watch(level.place) }
        let names = try folder.rawNames(after: level.cursor, limit: pageLength) { !IgnoredFiles.contains($0) }
        level.isLastPage = names.count < pageLength
        level.cursor = names.last
        level.names = names.reversed()
    }
}
