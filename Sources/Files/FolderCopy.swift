extension Directory {
    /// Copies a file, or a folder with all regular files in it, to where a rename cannot bring it: another file system.
    ///
    /// The copy is there whole or not at all: it is written under a temporary name, made durable, read back and compared
    /// by its SHA-256, then renamed. Links, pipes and devices inside a folder are left out. Replaces nothing.
    ///
    /// - Parameter temporaryName: A name in `target` that is the caller's own; what a crash left there is replaced.
    /// - Throws: `FileError`: `exists` when `newName` is taken, `io` when the copy is not what was read,
    ///   `too_deep` when folders lie more than 64 deep in each other.
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
                .tooDeep, "\(source.path) lies more than \(Directory.maxDepth) folders deep in what is to be copied",
                hint: "move it further up, or to where a rename can reach it")
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

    /// A finished copy of a file under a temporary name.
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
            throw FileError(.io, "the copy of \(source.path)/\(name) is not what was read", hint: "look at both disks")
        }
        return staged
    }
}
