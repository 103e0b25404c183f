import Files
import Foundation
import TestSupport
import Testing

@Suite("A folder is one process's at a time")
struct FolderLockTests {
    @Test("A second holder is refused, and told who has it")
    func lock() async throws {
        try await withScratch { scratch in
            let folder = try scratch.directory()
            var lock: FolderLock? = try FolderLock(in: folder)
            let error = #expect(throws: FileError.self) { try FolderLock(in: folder) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("process \(getpid())") == true)
            _ = consume lock
            lock = nil
            _ = try FolderLock(in: folder)
        }
    }
}
