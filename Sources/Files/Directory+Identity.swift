extension Directory {
    /// Which folder or file it is, whatever it is called: its number, and that of its file system.
    public struct Identity: Sendable, Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    /// Which folder this is.
    public func identity() throws(FileError) -> Identity? { try identity(of: ".") }

    /// What has the name in this folder now, a mount that lies over it included; nil when nothing has.
    public func identity(of name: String) throws(FileError) -> Identity? {
        try entry(name).map { Identity(device: $0.device, inode: $0.inode) }
    }

    /// Turns to the folder that has the name in `parent` by now, when it is another one: somebody put it there or mounted
    /// something over it; or nobody did, and it is made. All who hold this one follow.
    ///
    /// - Returns: Whether there was a reason to.
    public func renew(as name: String, in parent: Directory) throws(FileError) -> Bool {
        if let identity = try parent.identity(of: name), identity == (try self.identity()) { return false }
        try follow(try parent.folder(name, create: true))
        return true
    }
}
