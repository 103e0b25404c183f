import Foundation
import Testing
import TintypeClient

@Suite("A keychain")
struct KeychainTests {
    private static let names = [
        "session", "Session", "../escape", "/etc/passwd", "", ".", "a\0b", "ü/ß", "a b", "_47_",
    ]

    private func check(_ keychain: any Keychain) async throws {
        for name in Self.names { #expect(try await keychain.secret(named: name) == nil) }
        for name in Self.names { try await keychain.setSecret(Data(name.utf8), named: name) }
        for name in Self.names { #expect(try await keychain.secret(named: name) == Data(name.utf8)) }
        try await keychain.setSecret(Data([1]), named: "session")
        #expect(try await keychain.secret(named: "session") == Data([1]))
        #expect(try await keychain.secret(named: "Session") == Data("Session".utf8))
        try await keychain.setSecret(nil, named: "session")
        try await keychain.setSecret(nil, named: "session")
        #expect(try await keychain.secret(named: "session") == nil)
    }

    @Test("Secrets in memory are kept apart by their names")
    func memory() async throws { try await check(MemoryKeychain()) }

    @Test("Secrets in files are kept apart by their names, within the folder, and for the user alone")
    func files() async throws {
        try await withFolder { parent in
            let folder = parent.appendingPathComponent("keys")
            try await check(FileKeychain(folder: folder))
            let other = FileKeychain(folder: folder)
            #expect(try await other.secret(named: "../escape") == Data("../escape".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["keys"])
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.count == Self.names.count - 1)
            for file in files {
                let path = folder.appendingPathComponent(file).path
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            }
            #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("A folder that cannot be one is an error, and a name that is too long as well")
    func failures() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("file")
            try Data().write(to: file)
            await #expect(throws: KeychainError.self) {
                try await FileKeychain(folder: file).setSecret(Data([1]), named: "a")
            }
            let keychain = FileKeychain(folder: folder)
            let long = String(repeating: "a", count: 300)
            await #expect(throws: KeychainError.self) { try await keychain.setSecret(Data([1]), named: long) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        }
    }
}
