extension Directory {
    /// Copies a file, or a folder with all regular files in it, to another file system, which a rename cannot reach.
    ///
    /// The copy appears whole or not at all: it is written under a temporary name, made durable, read back and compared
    /// by its SHA-256, then renamed. Links, pipes and devices inside a folder are omitted. No existing file is
    /// replaced.
    ///
    /// - Parameter temporaryName: A name in `target` that only the caller uses; a leftover of a crash is replaced.
    /// - Throws: `FileError`: `exists` if `newName` is taken, `io` if the copy differs from what was read, `too_deep`
    ///   if folders are nested more than 64 deep.
    public func copy(
        _ name: String, to target: Directory, as newName: String, via temporaryName: String
    ) throws(FileError) {
        try target.removeTree(temporaryName)
        if try entry(name)?.kind == .folder {
            let source = try folder(name)
            let copy = try target.folder(temporaryName, create: true)
            do throws(FileError) {
                try FolderCopy.copyContents(of: source, to: copy, depth: 1)
            } catch {
                try? target.removeTree(temporaryName)
                throw error
            }
            try target.move(temporaryName, to: target, as: newName)
        } else {
            let staged = try FolderCopy.copied(name, in: self, to: target, as: temporaryName)
            try staged.publish(asNew: newName, in: target)
            try target.sync()
        }
    }
}

/// The steps of a copy.
private enum FolderCopy {
    static func copyContents(of source: Directory, to target: Directory, depth: Int) throws(FileError) {
        guard depth <= Directory.maxDepth else {
            throw FileError(
                .tooDeep, "\(source.path) lies more than \(Directory.maxDepth) folders deep in what should be copied",
                hint: "Move it further up, or to a folder that a rename can reach.")
        }
        for entry in try source.entries() {
            switch entry.kind {
            case .file:
                try copied(entry.name, in: source, to: target, as: ".tintype.part")
                    .publish(asNew: entry.name, in: target)
            case .folder:
                let inside = try target.folder(entry.name, create: true)
                try copyContents(of: source.folder(entry.name), to: inside, depth: depth + 1)
            case .other: break
            }
        }
        try target.sync()
    }

    /// Returns a finished copy of a file under a temporary name.
    static func copied(
        _ name: String, in source: Directory, to target: Directory, as temporaryName: String
    ) throws(FileError) -> StagedFile {
        let file = try source.file(name)
        let staged = try StagedFile(in: target, name: temporaryName)
        while true {
            let bytes = try file.read(at: staged.byteCount, maxBytes: 1 << 20)
            if bytes.isEmpty { break }
            try staged.write(bytes)
        }
        let written = try staged.finish()
        guard try target.file(temporaryName).sha256() == written.sha256, try file.byteCount() == written.byteCount
        else {
            throw FileError(.io, "the copy of \(source.path)/\(name) differs from it", hint: "Check both disks.")
        }
        return staged
    }
}
