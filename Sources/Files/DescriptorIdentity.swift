import Glibc

/// The identity of an open file, pipe or socket of this machine.
package struct DescriptorIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    /// Returns the identity of what a descriptor refers to; nil if it is not open.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
