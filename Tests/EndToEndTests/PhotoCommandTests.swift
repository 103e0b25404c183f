import Foundation
import TestSupport
import Testing

@Suite("tintype photo scrub: only the location is removed, or the file stays unchanged", .timeLimit(.minutes(20)))
struct PhotoCommandTests {
    private struct Line: Decodable {
        let path: String
        let outcome: String
        let removed: [String]?
        let file: String?
        let code: String?
    }

    /// Creates copies of a photo with a location, of one without, and of a truncated one.
    private func copies(in folder: String) throws -> [String] {
        let names = [
            "gps.png": "places/gps.png", "clean.png": "places/kept-xmp.png", "cut.jpg": "truncated-baseline-420.jpg",
        ]
        return try names.sorted { $0.key < $1.key }.map { name, fixture in
            let bytes = try Fixture.bytes(fixture)
            // A JPEG that is cut within its scan can still be parsed.
            let path = "\(folder)/\(name)"
            try Data(name == "cut.jpg" ? Array(bytes.prefix(100)) : bytes).write(to: URL(filePath: path))
            return path
        }
    }

    private func scrub(_ arguments: [String]) async throws -> (status: Int32, lines: [Line]) {
        let result = try await run(["photo", "scrub", "--json"] + arguments)
        let lines = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        return (result.status, lines)
    }

    private func contents(_ paths: [String]) throws -> [Data] {
        try paths.map { try Data(contentsOf: URL(filePath: $0)) }
    }

    @Test("--check reports metadata, and writes nothing")
    func check() async throws {
        try await withScratch { scratch in
            let files = try copies(in: scratch.path)
            let before = try contents(files)
            let (status, lines) = try await scrub(files + ["--check"])
            #expect(status == 3)
            #expect(lines.map(\.path) == files)
            #expect(lines.map(\.outcome) == ["clean", "refused", "found"])
            #expect(lines.map(\.removed) == [[], nil, ["gps"]])
            #expect(lines.map(\.code) == [nil, "truncated", nil])
            #expect(try await scrub([files[2], "--check"]).status == 1)
            #expect(try await scrub([files[0], "--check"]).status == 0)
            #expect(try contents(files) == before)
        }
    }

    @Test("--in-place replaces the file, with its mode, and no link")
    func inPlace() async throws {
        try await withScratch { scratch in
            let files = try copies(in: scratch.path)
            let before = try contents(files)
            try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: files[2])
            let link = scratch.path + "/link.png"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: files[2])
            let (status, lines) = try await scrub([link] + files + ["--in-place"])
            #expect(status == 3)
            #expect(lines.map(\.outcome) == ["refused", "clean", "refused", "scrubbed"])
            #expect(lines[0].code == "wrong_kind")
            let after = try contents(files)
            #expect(after[0] == before[0] && after[1] == before[1] && after[2] != before[2])
            #expect(after[2].range(of: Data("TINTYPE-SECRET-PLACE".utf8)) == nil)
            let attributes = try FileManager.default.attributesOfItem(atPath: files[2])
            #expect(attributes[.posixPermissions] as? Int == 0o604)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path).count == 4, "nothing is left over")
            #expect(try await scrub([files[2], "--check"]).status == 0)
        }
    }

    @Test("--output writes copies, and replaces nothing")
    func output() async throws {
        try await withScratch { scratch in
            let files = try copies(in: scratch.path)
            let before = try contents(files)
            let out = scratch.path + "/out"
            let (status, lines) = try await scrub(files + ["--output", out])
            #expect(status == 3)
            #expect(lines.map(\.file) == [out + "/clean.png", nil, out + "/gps.png"])
            #expect(try contents(files) == before)
            #expect(try contents([out + "/clean.png"]) == [before[0]])
            #expect(try await scrub([out + "/gps.png", "--check"]).status == 0)
            #expect(try await scrub([files[2], "--output", out]).lines.map(\.code) == ["exists"])
            #expect(try await scrub([files[2], "--output", scratch.path]).lines.map(\.code) == ["exists"])
        }
    }

    @Test("Photos of posts, of a person, and all are scrubbed, with and without a service", arguments: [true, false])
    func stored(isRunning: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let (photo, clean) = (try Fixture.bytes("places/gps.png"), try Fixture.bytes("places/kept-xmp.png"))
            var ids: [String] = []
            for (user, bytes) in [("maria", photo), ("maria", photo), ("noah", photo), ("noah", clean)] {
                let id = try await daemon.upload(bytes, by: user)
                ids.append(id)
            }
            if !isRunning { #expect(try await daemon.stop() == 0) }
            func scrub(_ arguments: [String]) async throws -> (status: Int32, output: String) {
                let result = try await run(["photo", "scrub", "--storage", storage] + arguments)
                return (result.status, result.output)
            }
            let checked = try await scrub(["--post", ids[0], "--post", ids[3], "--check"])
            #expect(checked.status == 1 && checked.output.contains("original.png  has: gps"))
            let one = try await scrub(["--post", ids[0], "--json"])
            #expect(one.status == 0 && one.output.contains(#""outcome":"scrubbed""#), "\(one)")
            #expect(try await scrub(["--post", ids[0], "--check"]).status == 0)
            let missing = try await scrub(["--post", "-P6xGdOK6scoZJdt2p7F", "--post", ids[0], "--json"])
            #expect(missing.status == 3 && missing.output.contains(#""code":"not_found""#))
            let maria = try await scrub(["--user", "maria"])
            #expect(maria.status == 0 && maria.output.contains("1 of 2 posts scrubbed, 0 failed"), "\(maria)")
            #expect(try await scrub(["--all", "--check"]).status == 1)
            let all = try await scrub(["--all", "--json"])
            #expect(all.status == 0 && all.output.contains(#""switched":1,"total":4}"#), "\(all)")
            #expect(try await scrub(["--all", "--check"]).status == 0)
            if isRunning { #expect(try await daemon.stop() == 0) }
            for (id, user) in zip(ids.prefix(3), ["maria", "maria", "noah"]) {
                let folder = "\(storage)/blobs/\(user)/\(id)"
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                let new = try #require(names.first { $0.hasPrefix("original-scrubbed-") })
                #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(new)")).count < photo.count + 1)
                #expect(try await self.scrub(["\(folder)/\(new)", "--check"]).status == 0)
            }
            _ = try await Invariants(of: storage)
        }
    }

    @Test(
        "After a kill at any step, the next run does the rest, and each photo has one file",
        arguments: [
            "before-step:original-scrubbed=crash@1", "after-step:original-scrubbed=crash@2",
            "before-rename:/blobs/=crash@2", "after-rename:/blobs/=crash@2", "after-rename:/blobs/=crash@3",
            "before-commit:=crash@3", "after-commit:=crash@3", "after-commit:=crash@4",
        ])
    func killed(point: String) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let photo = try Fixture.bytes("places/gps.png")
            for _ in 0..<3 { _ = try await daemon.upload(photo, by: "maria") }
            #expect(try await daemon.stop() == 0)
            let all = ["photo", "scrub", "--all", "--storage", storage]
            let first = try await run(all, environment: ["TINTYPE_FAILPOINTS": point])
            #expect(first.status != 0, "\(first)")
            let rest = try await run(all)
            #expect(rest.status == 0, "\(rest)")
            #expect(try await run(all + ["--check"]).status == 0)
            let folder = "\(storage)/blobs/maria"
            for id in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(id)")
                #expect(names.filter { $0.hasPrefix("original-scrubbed-") }.count == 1, "\(names)")
                #expect(names.contains("original.png"), "until the grace period is over")
            }
            _ = try await Invariants(of: storage)
        }
    }

    @Test(
        "Wrong usage is refused",
        arguments: [
            ["x.jpg"], ["x.jpg", "--check", "--in-place"], ["x.jpg", "--check", "--output", "o"], ["--check"],
            ["a/x.jpg", "b/x.jpg", "--output", "o"], [], ["x.jpg", "--check", "--all"], ["--all", "--user", "maria"],
            ["--all", "--in-place"], ["--all", "--output", "o"], ["--post", "x"],
        ])
    func usage(arguments: [String]) async throws {
        #expect(try await run(["photo", "scrub"] + arguments).status == 2)
    }
}
