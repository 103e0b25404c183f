import Files
import Foundation
import TestSupport
import Testing

@Suite("A folder belongs to one process at a time")
struct FolderLockTests {
    @Test("A second holder is refused, and the error names the first one")
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

    @Test("A holder is waited for up to a second; one that stays is named", arguments: [0, 1, 20, nil])
    func waiting(pausesUntilItGoes: Int?) async throws {
        try await withScratch { scratch in
            let (holder, folder) = (try FolderLock(in: try scratch.directory()), try scratch.directory())
            var pauses = 0
            func pause() {
                pauses += 1
                if pauses == pausesUntilItGoes { holder.release() }
            }
            if pausesUntilItGoes == 0 { holder.release() }
            do throws(FileError) {
                _ = try await FolderLock.waiting(in: folder, pause: pause)
                #expect(pauses == pausesUntilItGoes)
            } catch {
                #expect(error.code == .locked && pauses == 20 && pausesUntilItGoes == nil, "\(error)")
            }
        }
    }
}
