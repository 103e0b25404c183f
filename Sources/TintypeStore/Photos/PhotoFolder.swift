import Foundation
import TintypeClient

/// The folder of the photos that the device keeps until their posts are published. Names are made here.
final class PhotoFolder: Sendable {
    private let url: URL
    /// The names of files whose posts are not stored yet.
    private let keeping = Guarded<Set<String>>([])

    init(url: URL) { self.url = url }

    /// Keeps photos, until their post is stored and `endKeeping` is called.
    ///
    /// - Throws: An error of the system; then nothing is kept.
    func keep(_ photos: [PhotoDraft]) throws -> [KeptPhoto] {
        var kept: [KeptPhoto] = []
        do {
            for photo in photos { kept.append(try keep(photo)) }
            return kept
        } catch {
            for photo in kept { remove(photo.name) }
            endKeeping(kept)
            throw error
        }
    }

    /// Checks within the transaction that stores their post that photos are there: another process that uses the folder may
    /// have deleted them, because no post needed them.
    ///
    /// - Throws: An error of the system.
    func check(_ photos: [KeptPhoto]) throws {
        for photo in photos where !FileManager.default.fileExists(atPath: file(photo).path) {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: photo.name])
        }
    }

    /// Notes that photos are needed only as long as a stored post needs them.
    func endKeeping(_ photos: [KeptPhoto]) { keeping.withLock { $0.subtract(photos.map(\.name)) } }

    /// Returns the address of a kept file.
    func file(_ photo: KeptPhoto) -> URL { url.appendingPathComponent(photo.name) }

    /// Keeps a photo: it links the file, or copies it if that is not possible.
    private func keep(_ photo: PhotoDraft) throws -> KeptPhoto {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let suffix = photo.file.pathExtension.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(8)
        let name = UUID().uuidString + (suffix.isEmpty ? "" : "." + suffix.lowercased())
        let file = url.appendingPathComponent(name)
        _ = keeping.withLock { $0.insert(name) }
        let source = photo.file.resolvingSymlinksInPath()
        do { try FileManager.default.linkItem(at: source, to: file) } catch {
            do { try FileManager.default.copyItem(at: source, to: file) } catch {
                try? FileManager.default.removeItem(at: file)
                throw error
            }
        }
        do {
            try synchronize(file)
            let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            return KeptPhoto(
                name: name, count: Int64(size), alternativeText: photo.alternativeText, width: photo.width,
                height: photo.height)
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    /// Deletes a kept file, if it is there.
    ///
    /// - Parameter name: Its name in the folder.
    func remove(_ name: String) { try? FileManager.default.removeItem(at: url.appendingPathComponent(name)) }

    /// Deletes the files that no post needs.
    ///
    /// - Parameter names: The names of the needed ones.
    /// - Returns: The names of the deleted ones.
    func removeAll(but names: Set<String>) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        // After the list: a file that is made meanwhile is in one of the two.
        let names = names.union(keeping.withLock(\.self))
        let unneeded = files.filter { !names.contains($0) }
        for name in unneeded { remove(name) }
        return unneeded
    }

    /// Waits until a file and its name are on the disk.
    private func synchronize(_ file: URL) throws {
        for address in [file, url] {
            let handle = try FileHandle(forReadingFrom: address)
            defer { try? handle.close() }
            try handle.synchronize()
        }
    }
}
