import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Previews of photos")
struct ThumbHashTests {
    /// Pixels that the original implementation (https://github.com/evanw/thumbhash, JavaScript) has drawn: those of the
    /// upper left, the upper right, the middle and the lower right, and the sum of all bytes.
    private static let references: [(hash: String, width: Int, height: Int, samples: [[UInt8]], sum: Int)] = [
        (
            "oPgJRYoE10iih3dyfGSIiJDHefmf", 32, 23,
            [[113, 0, 42, 255], [96, 77, 7, 255], [247, 255, 255, 255], [224, 205, 27, 255]], 473_425
        ),
        (
            "oPiJRIodBNeih3JsCHmch/95fYp4+EeHBg==", 32, 26,
            [[137, 30, 69, 255], [121, 108, 35, 255], [217, 237, 235, 150], [252, 240, 59, 255]], 506_154
        ),
        (
            "nggOMR5gcniHd3eHxIAJ6Hg=", 5, 32,
            [[6, 7, 28, 255], [255, 6, 116, 255], [124, 127, 151, 255], [255, 238, 97, 255]], 98_715
        ),
        (
            "z8gFHIIlPISfdofkCngzliBgKQ==", 32, 18,
            [[9, 62, 73, 255], [28, 71, 63, 255], [101, 111, 28, 255], [19, 53, 25, 255]], 251_936
        ),
        (
            "IQiKBIAdANawmFJsCQAAAABwfYp4+EeHBg==", 32, 26,
            [[64, 60, 58, 255], [108, 104, 102, 255], [238, 234, 232, 150], [239, 235, 233, 255]], 516_257
        ),
    ]

    @Test("A preview has the pixels of the original implementation", arguments: references)
    func pixels(
        _ reference: (hash: String, width: Int, height: Int, samples: [[UInt8]], sum: Int)
    ) throws {
        let hash = try #require(Data(base64Encoded: reference.hash).flatMap(ThumbHash.init))
        let pixels = hash.pixels
        let (width, height) = (reference.width, reference.height)
        #expect(pixels.width == width && pixels.height == height && pixels.rgba.count == width * height * 4)
        let positions = [0, width - 1, height / 2 * width + width / 2, width * height - 1]
        for (position, sample) in zip(positions, reference.samples) {
            for (byte, other) in zip(pixels.rgba[(4 * position)..<(4 * position + 4)], sample) {
                #expect(abs(Int(byte) - Int(other)) <= 1)
            }
        }
        let sum = pixels.rgba.reduce(0) { $0 + Int($1) }
        #expect(abs(sum - reference.sum) <= width * height)
    }

    @Test("The previews that the service makes have the mean colours and the shapes of its photos")
    func servicePreviews() async throws {
        try await TreeHome.run(isSignedIn: true) { home in
            for name in [
                "photo.jpg", "photo.heic", "rotation-6.jpg", "profile-p3.jpg", "rgba-8.png", "size-97x61.jpg",
                "size-640x480.jpg",
            ] {
                let photo = try await home.post(Fixture.data(name))
                let hash = try #require(photo.thumbHash.flatMap(ThumbHash.init), "\(name)")
                #expect(hash.bytes == photo.thumbHash, "\(name)")
                let color = try #require(photo.color.flatMap { Int($0.dropFirst(), radix: 16) })
                let mean = [color >> 16, color >> 8 & 255, color & 255]
                if !hash.hasOpacity {
                    let average = [hash.averageColor.red, hash.averageColor.green, hash.averageColor.blue].map(Int.init)
                    #expect(zip(average, mean).allSatisfy { abs($0 - $1) <= 10 }, "\(name): \(average) \(mean)")
                    let pixels = Self.mean(hash.pixels)
                    #expect(zip(pixels, mean).allSatisfy { abs($0 - $1) <= 16 }, "\(name): \(pixels) \(mean)")
                }
                #expect(hash.hasOpacity == (name == "rgba-8.png"), "\(name)")
                let shape = hash.aspectRatio / photo.aspectRatio
                // The ratio is a number of sevenths.
                #expect((0.8...1.25).contains(shape), "\(name): \(shape)")
            }
        }
    }

    private static func mean(_ pixels: ThumbHash.Pixels) -> [Int] {
        (0..<3).map { channel in
            let bytes = stride(from: channel, to: pixels.rgba.count, by: 4).map { Int(pixels.rgba[$0]) }
            return bytes.reduce(0, +) / bytes.count
        }
    }

    @Test("Bytes that end too early are no preview, and further bytes are left out", arguments: references.map(\.hash))
    func truncation(_ base64: String) throws {
        let bytes = try #require(Data(base64Encoded: base64))
        for count in 0..<bytes.count { #expect(ThumbHash(bytes.prefix(count)) == nil) }
        let slice = (Data([1, 2, 3]) + bytes + Data(count: 1000)).dropFirst(3)
        let hash = try #require(ThumbHash(slice))
        #expect(hash == ThumbHash(bytes) && hash.bytes == bytes && hash.aspectRatio > 0)
    }

    @Test("Random bytes are no preview, or one of at most 32 pixels per side")
    func randomBytes() {
        var previewCount = 0
        for _ in 0..<300 {
            let bytes = Data((0..<Int.random(in: 0..<40)).map { _ in UInt8.random(in: .min ... .max) })
            guard let hash = ThumbHash(bytes) else { continue }
            previewCount += 1
            let pixels = hash.pixels
            #expect((1...32).contains(pixels.width) && (1...32).contains(pixels.height))
            #expect(pixels.rgba.count == pixels.width * pixels.height * 4)
        }
        #expect(previewCount > 0)
    }

    @Test("The extremes of all numbers are a preview", arguments: [UInt8(0), 0xFF, 0x7F, 0x80])
    func extremes(_ byte: UInt8) throws {
        let hash = try #require(ThumbHash(Data(repeating: byte, count: 64)))
        #expect(hash.pixels.rgba.count == hash.pixels.width * hash.pixels.height * 4)
        #expect(hash.aspectRatio.isFinite && hash.aspectRatio > 0)
    }
}

/// The files of the folder Fixtures.
enum Fixture {
    static func data(_ name: String) throws -> Data {
        // The folder of the tests may be a link.
        let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        return try Data(contentsOf: folder.appendingPathComponent("../../../Fixtures/\(name)").standardizedFileURL)
    }
}

extension TreeHome {
    /// Posts a photo and returns it as the service answers.
    func post(_ photo: Data) async throws -> Photo {
        var request = ServiceRequest("POST", ["v1", "uploads"])
        request.body = .data(photo)
        request.headers["Content-Type"] = "application/octet-stream"
        let response = try await client.response(to: request)
        guard case .published(let post) = try JSONDecoder().decode(UploadOutcome.self, from: response.body),
            let photo = post.photos.first
        else { throw ServiceProcessError("the post has no photo") }
        return photo
    }
}
