import Client
import Foundation
import HTTPTypes
import Service
import TestSupport
import Testing
import Tree

@testable import Requests
@testable import Uploads

@Suite("Lists of the bucket", .timeLimit(.minutes(20)))
struct StorageListTests {
    /// Names that differ in characters that keys of the tree refuse, in length, and in an order other than that of
    /// bytes.
    private static let names = [
        "a", "a/", "a/b", "a/b/c.jpg", "a/b/d.$#[].jpg", "a/c", "a//c", "aa", "ab", "1", "10", "2", "é", "e\u{301}",
        "\u{FFFD}", "𐀀",
        "u1/full/-P1/x.jpg", "u1/thumb/-P1/x.jpg", "u10/full/x", " ", "\u{7F}\t", "~",
        "z" + String(repeating: "/", count: 1000),
        String(repeating: "n", count: 569), String(repeating: "n", count: 570), String(repeating: "n", count: 571),
        String(repeating: "n", count: 1024), String(repeating: "n", count: 570) + "/x",
        String(repeating: "é", count: 512),
    ]

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Returns the expected list, computed from every name.
    private static func expected(_ names: [String], prefix: String, delimiter: String) -> [String] {
        var folders: Set<[UInt8]> = []
        var items: [[UInt8]] = []
        for name in names where name.utf8.starts(with: prefix.utf8) {
            let rest = Array(name.utf8.dropFirst(prefix.utf8.count))
            if !delimiter.isEmpty, let end = rest.firstIndex(of: delimiter.utf8.first ?? 0) {
                folders.insert(Array(prefix.utf8) + rest[...end])
            } else {
                items.append(Array(name.utf8))
            }
        }
        let sorted =
            folders.sorted { $0.lexicographicallyPrecedes($1) }
            + items.sorted { $0.lexicographicallyPrecedes($1) }
        return sorted.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "S9: Names are listed in the order of their bytes, below any prefix, with and without folders, in any page size"
    )
    func lists() async throws {
        try await withService { service in
            let objects = service.pipeline.objects
            for name in Self.names {
                let upload = try await objects.beginUpload()
                _ = try await objects.put(
                    try await upload.finish(), as: #require(ObjectName(name)), ObjectMetadata()
                ) { _ in }
            }
            let client = try StorageClient(service)
            for prefix in [
                "", "a", "a/", "a/b/", "u1", "u1/", "1", "é", "z/", "nn", "nothing", String(repeating: "n", count: 570),
            ] {
                for delimiter in ["", "/"] {
                    let expected = Self.expected(Self.names, prefix: prefix, delimiter: delimiter)
                    for limit in [1, 2, 3, 1000] {
                        var query =
                            "prefix=\(PercentEncoding.encode(prefix.utf8))&delimiter=\(delimiter)&maxResults=\(limit)"
                        var (folders, items): ([String], [String]) = ([], [])
                        let start = query
                        for _ in 0...Self.names.count {
                            let answer = try await service.client.get("\(client.root)?\(query)")
                            folders += answer.json["prefixes"].array.compactMap(\.string)
                            items += answer.json["items"].array.compactMap { $0["name"].string }
                            guard let token = answer.json["nextPageToken"].string else { break }
                            #expect(answer.listed.count == limit)
                            query = "\(start)&pageToken=\(token)"
                        }
                        let found = (folders + items).map { Array($0.utf8) }
                        #expect(found == expected.map { Array($0.utf8) }, "\(prefix) \(delimiter) \(limit)")
                    }
                }
            }
            for name in Self.names {
                #expect(
                    try await service.client.get(client.path(name)).json["name"].string?.utf8.elementsEqual(name.utf8)
                        == true)
            }
        }
    }

    @Test("A folder of thousands is skipped in one step")
    func large() async throws {
        try await withService { service in
            let upload = try await service.pipeline.objects.beginUpload()
            let first = try await service.pipeline.objects.put(
                try await upload.finish(), as: #require(ObjectName("big/0")), ObjectMetadata()
            ) { _ in }
            // The same record under many names: the cost of a list does not depend on the bytes.
            func copy(_ numbers: Range<Int>, named name: (Int) -> String) async throws {
                var update = MultiPathUpdate()
                for number in numbers {
                    update[ObjectKey.path(try #require(ObjectName(name(number))))] = first.value
                }
                try await service.tree.update(update)
            }
            for start in stride(from: 0, to: 4000, by: 500) {
                try await copy(start..<start + 500) { "big/\($0)" }
            }
            try await copy(0..<3) { "c\($0)" }
            let client = try StorageClient(service)
            let page = try await service.client.get("\(client.root)?delimiter=/")
            #expect(page.listed == ["big/", "c0", "c1", "c2"])
            var (count, token): (Int, String?) = (0, "")
            while let next = token {
                let answer = try await service.client.get("\(client.root)?prefix=big/&pageToken=\(next)")
                count += answer.listed.count
                token = answer.json["nextPageToken"].string
            }
            #expect(count == 4000)
        }
    }
}
