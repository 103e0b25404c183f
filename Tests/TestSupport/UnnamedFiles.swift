import Foundation

/// Returns the disk space, in bytes, of the unnamed files in a folder that a process has open: data that waits for its readers.
package func unnamedBytes(in folder: String, of process: Int32 = getpid()) -> Int {
    let descriptors = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
    return names.reduce(0) { sum, name in
        let path = "\(descriptors)/\(name)"
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? ""
        var file = stat()
        guard target.hasPrefix(folder), stat(path, &file) == 0, file.st_nlink == 0 else { return sum }
        return sum + Int(file.st_blocks) * 512
    }
}
