import Glibc

/// Prints a complaint and ends the program.
func fail(_ complaint: String) -> Never {
    let line = Array("TreeBenchmark: \(complaint)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(1)
}

/// A failed system call.
struct SystemError: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}

/// Runs a body with a new folder, which is removed afterwards with the files in it.
func withTemporaryFolder(in parent: String, _ body: (String) async throws -> Void) async throws {
    var template = Array("\(parent)/tree-benchmark-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
    guard made != nil else { throw SystemError(parent) }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { removeFolder(folder) }
    try await body(folder)
}

private func removeFolder(_ folder: String) {
    guard let directory = opendir(folder) else { return }
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "." && name != ".." { unlink("\(folder)/\(name)") }
    }
    closedir(directory)
    rmdir(folder)
}
