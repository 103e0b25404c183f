import Client
import Foundation
import HTTPTypes
import Model
import Service
import Store
import TestSupport
import Testing
import Transport
import Tree
import Uploads

@testable import Server

@Suite("The bucket in the protocol of Firebase's Storage SDKs", .timeLimit(.minutes(20)))
struct StorageTests {
    private static let name = "u1/full/-P1/a photo.jpg"

    @Test("S9: An uploaded object is described in the SDKs' terms, and read byte for byte")
    func roundTrip() async throws {
        let photo = try fixture("size-97x61.jpg")
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let answer = try await client.upload(
                photo, as: Self.name, #"{"contentType":"image/jpeg","metadata":{"k":"v"},"fullPath":"x"}"#)
            #expect(answer.status == 200, "\(answer.text)")
            let json = answer.json
            #expect(json["name"].string == Self.name && json["bucket"].string == client.bucket)
            #expect(json["contentType"].string == "image/jpeg" && json["size"].string == "\(photo.count)")
            #expect(json["metageneration"].string == "1" && json["storageClass"].string == "STANDARD")
            #expect(json["metadata"]["k"].string == "v")
            for time in ["timeCreated", "updated"] {
                #expect(json[time].string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            }
            let token = try #require(json["downloadTokens"].string)
            #expect(token.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
            #expect(try await client.metadata(Self.name).json == json)

            let fetched = try await client.bytes(Self.name)
            #expect(fetched.status == 200 && fetched.body == photo)
            let expected: [(HTTPField.Name, String)] = [
                (.contentType, "image/jpeg"), (.xContentTypeOptions, "nosniff"),
                (.contentDisposition, "inline; filename*=utf-8''a%20photo.jpg"),
                (.contentSecurityPolicy, "default-src 'none'; sandbox"), (.acceptRanges, "bytes"),
                (.contentLength, "\(photo.count)"),
                (.googHash, "crc32c=\(json["crc32c"].string ?? ""),md5=\(json["md5Hash"].string ?? "")"),
            ]
            for (name, value) in expected { #expect(fetched.headers[name] == value, "\(name)") }
            let head = try await client.ask(.head, client.path(Self.name, "alt=media"))
            #expect(head.status == 200 && head.body.isEmpty && head.headers[.eTag] == fetched.headers[.eTag])
        }
    }

    @Test("Checksums are those of the standards")
    func checksums() async throws {
        try await withService { service in
            let client = try StorageClient(service)
            let admin = service.client
            for (text, md5, crc) in [
                ("123456789", "JfnnlDI7RTiF9RgfG2JNCw==", "4waSgw=="),
                ("", "1B2M2Y8AsgTpgAmY7PhCfg==", "AAAAAA=="),
            ] {
                let answer = try await admin.ask(
                    .post, "\(client.root)?name=x&uploadType=media", headers: [.contentType: "text/plain"],
                    body: .bytes(Array(text.utf8)))
                #expect(answer.json["md5Hash"].string == md5 && answer.json["crc32c"].string == crc, "\(answer.text)")
                #expect(answer.json["contentType"].string == "text/plain")
            }
        }
    }

    @Test("Ranges and conditional requests are answered")
    func ranges() async throws {
        let photo = try fixture("size-97x61.jpg")
        let count = photo.count
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            #expect(try await client.upload(photo, as: Self.name).status == 200)
            let path = client.path(Self.name, "alt=media")
            for (range, part) in [
                ("bytes=0-9", 0..<10), ("bytes=10-", 10..<count), ("bytes=-10", count - 10..<count),
                ("bytes=0-\(count * 2)", 0..<count),
            ] {
                let answer = try await client.ask(.get, path, [.range: range])
                #expect(answer.status == 206 && answer.body == Array(photo[part]))
                #expect(
                    answer.headers[.contentRange] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)")
            }
            let outside = try await client.ask(.get, path, [.range: "bytes=\(count)-"])
            #expect(outside.status == 416 && outside.headers[.contentRange] == "bytes */\(count)")
            #expect(outside.json["error"]["code"].int == 416)
            let tag = try #require(try await client.ask(.get, path).headers[.eTag])
            #expect(try await client.ask(.get, path, [.ifNoneMatch: tag]).status == 304)
            #expect(try await client.ask(.get, path, [.range: "bytes=0-1", .ifRange: "\"x\""]).status == 200)
        }
    }

    @Test("An overwrite keeps the tokens of shared addresses, and is another generation")
    func overwrite() async throws {
        let (old, new) = (try fixture("size-97x61.jpg"), try fixture("exif-gps.jpg"))
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let first = try await client.upload(old, as: Self.name).json
            let second = try await client.upload(new, as: Self.name).json
            #expect(second["downloadTokens"].string == first["downloadTokens"].string)
            let generations = [first, second].compactMap { $0["generation"].string.flatMap(Int64.init) }
            #expect(generations.count == 2 && generations[0] < generations[1])
            #expect(first["etag"].string != second["etag"].string)
            #expect(try await client.bytes(Self.name).body == new)
            // Its bytes are cleaned up; those of the current object are not.
            let blobs = service.pipeline.storage.blobs
            #expect(try await blobs.postIDs(userID: "u1").count == 2)
        }
    }

    @Test("S11: A download token is sufficient proof; another one gives no access")
    func tokens() async throws {
        let photo = try fixture("size-97x61.jpg")
        try await withService { service in
            let closed =
                "service firebase.storage { match /b/{b}/o { match /{u}/{r=**} { allow write: if request.auth.uid == u; } } }"
            #expect(
                try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(closed.utf8))).status == 200)
            let (owner, anybody) = (try StorageClient(service, as: "u1"), try StorageClient(service))
            let token = try #require(try await owner.upload(photo, as: Self.name).json["downloadTokens"].string)
            #expect(try await anybody.bytes(Self.name).status == 403)
            #expect(try await anybody.bytes(Self.name, "token=\(token)").body == photo)
            #expect(try await anybody.ask(.get, anybody.path(Self.name, "token=\(token)")).status == 200)
            for wrong in ["", "x", "\(token),", token.uppercased()] {
                let answer = try await anybody.bytes(Self.name, "token=\(wrong)")
                #expect(answer.status == 403, "\(wrong)")
                #expect(answer.json["error"]["message"].string == "Permission denied. No READ permission.")
            }

            // Admins change the tokens; the last one is replaced.
            let path = anybody.path(Self.name)
            #expect(try await owner.ask(.post, "\(path)?create_token=true").status == 403)
            let two = try await service.client.ask(.post, "\(path)?create_token=true").json["downloadTokens"].string
            let all = try #require(two?.split(separator: ",").map(String.init))
            #expect(all.count == 2 && all[0] == token)
            _ = try await service.client.ask(.post, "\(path)?delete_token=\(token)")
            #expect(try await anybody.bytes(Self.name, "token=\(token)").status == 403)
            let last = try await service.client.ask(.post, "\(path)?delete_token=\(all[1])").json["downloadTokens"]
            #expect(last.string?.isEmpty == false && last.string != all[1])
        }
    }

    @Test("A client may choose the tokens, and they are reported as tokens alone")
    func chosenTokens() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let json = try await client.upload(
                [1], as: Self.name,
                #"{"contentType":"image/x","metadata":{"firebaseStorageDownloadTokens":"t1,t2","k":"v"}}"#
            ).json
            #expect(json["downloadTokens"].string == "t1,t2" && json["metadata"].keys == ["k"])
            #expect(try await client.upload([2], as: Self.name).json["downloadTokens"].string == "t1,t2")
        }
    }

    @Test("Proxies do not keep an object that was sent to a user, whatever caching its metadata chooses")
    func caching() async throws {
        try await withService { service in
            let (owner, anybody) = (try StorageClient(service, as: "u1"), try StorageClient(service))
            let chosen = "Public, max-age=60, s-maxage=90"
            let uploaded = try await owner.upload(
                try fixture("size-97x61.jpg"), as: Self.name,
                #"{"contentType":"image/jpeg","cacheControl":"\#(chosen)"}"#)
            let token = try #require(uploaded.json["downloadTokens"].string, "\(uploaded.text)")
            #expect(try await owner.bytes(Self.name).headers[.cacheControl] == "private, max-age=60")
            #expect(try await anybody.bytes(Self.name, "token=\(token)").headers[.cacheControl] == chosen)
        }
    }

    @Test("Metadata is changed by PATCH, and by its substitutes; null removes")
    func patch() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            _ = try await client.upload(
                try fixture("size-97x61.jpg"), as: Self.name,
                #"{"contentType":"image/jpeg","cacheControl":"public","metadata":{"a":"1","b":"2"}}"#)
            let path = client.path(Self.name)
            for (number, (method, headers)) in [
                (HTTPRequest.Method.patch, HTTPFields()), (.put, [.methodOverride: "PATCH"]),
                (.post, [.methodOverride: "patch"]),
            ].enumerated() {
                let body =
                    #"{"cacheControl":null,"contentLanguage":"de","metadata":{"a":null,"c":"\#(number)"},"size":"1"}"#
                let answer = try await client.ask(method, path, headers, body: .bytes(Array(body.utf8)))
                #expect(answer.status == 200, "\(answer.text)")
                let json = answer.json
                #expect(json["metageneration"].string == "\(number + 2)" && json["size"].string != "1")
                #expect(json["cacheControl"] == .null && json["contentLanguage"].string == "de")
                #expect(json["metadata"].keys == ["b", "c"] && json["metadata"]["c"].string == "\(number)")
                #expect(json["contentType"].string == "image/jpeg")
            }
            let bytes = try await client.bytes(Self.name)
            #expect(bytes.headers[.contentLanguage] == "de")
            #expect(try await client.ask(.put, path, body: .bytes([1])).status == 405)
        }
    }

    @Test("S9: A deleted object gets 404 afterwards")
    func deletion() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            #expect(try await client.ask(.delete, client.path(Self.name)).status == 404)
            _ = try await client.upload(try fixture("size-97x61.jpg"), as: Self.name)
            #expect(try await client.ask(.delete, client.path(Self.name)).status == 204)
            for answer in [
                try await client.ask(.delete, client.path(Self.name)), try await client.metadata(Self.name),
                try await client.bytes(Self.name),
                try await client.ask(.patch, client.path(Self.name), body: .bytes(Array("{}".utf8))),
            ] {
                #expect(answer.status == 404 && answer.json["error"]["code"].int == 404, "\(answer.text)")
            }
        }
    }

    @Test("Files that are not photos, or that a page would run, are served with a harmless type")
    func hostileContents() async throws {
        try await withService { service in
            let client = try StorageClient(service)
            let html = Array("<script>parent.steal()</script>".utf8)
            let answer = try await service.client.ask(
                .post, "\(client.root)?name=page.html", headers: [.contentType: "text/html"], body: .bytes(html))
            #expect(answer.status == 200)
            let fetched = try await service.client.get(client.path("page.html", "alt=media"))
            #expect(fetched.body == html && fetched.headers[.contentType] == "text/html")
            for type in ["image/png, text/html", "image", "text/html;x=\"a,b\"", "a/b/c", "image/pn g"] {
                _ = try await service.client.ask(
                    .post, "\(client.root)?name=odd", headers: [.contentType: type], body: .bytes(html))
                let odd = try await service.client.get(client.path("odd", "alt=media"))
                #expect(odd.headers[.contentType] == "application/octet-stream", "\(type)")
            }
            #expect(fetched.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(fetched.headers[.xContentTypeOptions] == "nosniff")
            // The object has no address of a photo.
            let name = try #require(ObjectName("page.html"))
            let blob = try #require(try await service.pipeline.objects.object(name)).blob
            #expect(try await service.client.get("/media/\(blob)").status == 404)
        }
    }
}
