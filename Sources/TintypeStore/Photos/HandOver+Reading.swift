import Foundation

/// The reason why what is in the folder of a hand-over cannot become a post.
struct HandOverFault: Error {
    let reason: String
}

extension HandOver {
    /// The largest file of a post, in bytes, without its photos.
    private static let longestManifest = 1 << 20

    /// Reads a complete post.
    ///
    /// - Throws: `HandOverFault` for one that cannot become a post, or an error of the file system.
    func post(_ name: String) throws -> HandedPost {
        let place = folder.appendingPathComponent(name)
        let size = try check(place.appendingPathComponent(Self.manifestName))
        guard size <= Self.longestManifest else {
            throw HandOverFault(reason: "\(Self.manifestName) has \(size) bytes")
        }
        let bytes = try Data(contentsOf: place.appendingPathComponent(Self.manifestName))
        let post: HandedPost
        do { post = try JSONDecoder().decode(HandedPost.self, from: bytes) } catch {
            throw HandOverFault(reason: "\(Self.manifestName) cannot be read: \(error)")
        }
        guard post.text?.isEmpty == false || !post.photos.isEmpty else {
            throw HandOverFault(reason: "the post is empty")
        }
        for photo in post.photos {
            guard !photo.name.contains("/"), !photo.name.hasPrefix(".") else {
                throw HandOverFault(reason: "\(photo.name) is not a name of a photo")
            }
            let size = try check(place.appendingPathComponent(photo.name))
            guard size > 0 || photo.count == 0 else { throw HandOverFault(reason: "\(photo.name) has lost its bytes") }
        }
        return post
    }

    /// Returns the photos of a post for a draft.
    func photos(of post: HandedPost, _ name: String) -> [PhotoDraft] {
        let place = folder.appendingPathComponent(name)
        return post.photos.map { photo in
            PhotoDraft(
                file: place.appendingPathComponent(photo.name), alternativeText: photo.alternativeText,
                width: photo.width, height: photo.height)
        }
    }

    /// Deletes a post that was adopted. If the process ends before all is deleted, the next adoption deletes the rest.
    func remove(_ name: String) {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }

    /// Moves what cannot become a post out of the way, with its reason beside it.
    ///
    /// - Returns: The place where it is now; nil if it is no longer there.
    /// - Throws: An error of the file system.
    func setAside(_ name: String, _ reason: String) throws -> URL? {
        let aside = folder.appendingPathComponent(Self.asideName)
        try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: true)
        var target = aside.appendingPathComponent(name)
        if exists(target) { target = aside.appendingPathComponent("\(UUID().uuidString)-\(name)") }
        do {
            try FileManager.default.moveItem(at: folder.appendingPathComponent(name), to: target)
        } catch {
            if !exists(folder.appendingPathComponent(name)) { return nil }
            throw error
        }
        try? Data((reason + "\n").utf8).write(to: target.appendingPathExtension("reason"))
        return target
    }

    /// Whether there is a file, a folder or a link at a place.
    func exists(_ place: URL) -> Bool { (try? FileManager.default.attributesOfItem(atPath: place.path)) != nil }

    /// Returns the size of a file.
    ///
    /// - Throws: `HandOverFault` if there is none, or something else, such as a link to another place.
    private func check(_ file: URL) throws -> Int64 {
        let name = file.lastPathComponent
        let attributes: [FileAttributeKey: Any]
        do { attributes = try FileManager.default.attributesOfItem(atPath: file.path) } catch let error as CocoaError
            where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            throw HandOverFault(reason: "there is no \(name)")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber else {
            throw HandOverFault(reason: "\(name) is not a file")
        }
        return size.int64Value
    }
}
