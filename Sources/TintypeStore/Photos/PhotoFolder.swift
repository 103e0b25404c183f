#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The folder of the photos that the device keeps until their posts are published. Names are made here.
struct PhotoFolder: Sendable {
    let url: URL

    /// Returns the address of a kept file.
    func file(_ photo: KeptPhoto) -> URL { url.appendingPathComponent(photo.name) }

    /// Keeps a photo: it links the file, or copies it to where links are not possible.
    ///
    /// - Throws: An error of the system; then nothing is kept.
    func keep(_ photo: PhotoDraft) throws -> KeptPhoto {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let suffix = photo.file.pathExtension.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(8)
        let name = UUID().uuidString + (suffix.isEmpty ? "" : "." + suffix.lowercased())
        let file = url.appendingPathComponent(name)
        let source = photo.file.resolvingSymlinksInPath()
        do { try FileManager.default.linkItem(at: source, to: file) } catch {
            do { try FileManager.default.copyItem(at: source, to: file) } catch {
                try? FileManager.default.removeItem(at: file)
                throw error
            }
        }
        do {
            try synchronize(file)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let count = (attributes[.size] as? NSNumber)?.int64Value ?? attributes[.size] as? Int64 ?? 0
            return KeptPhoto(
                name: name, count: count, alternativeText: photo.alternativeText, width: photo.width,
                height: photo.height)
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    /// Deletes a kept file, if it is there.
    func remove(_ photo: KeptPhoto) { try? FileManager.default.removeItem(at: file(photo)) }

    /// Deletes the files that no post needs.
    ///
    /// - Parameter names: The names of the needed ones.
    func removeAll(but names: Set<String>) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] where !names.contains(name) {
            try? FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
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
