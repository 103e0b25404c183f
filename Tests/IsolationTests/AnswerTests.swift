import Imaging
import Testing

@testable import Isolation

@Suite("An answer of a worker is accepted only if it can be true")
struct AnswerTests {
    private let request: RenderRequest
    private let summary: RenderAnswer.Summary

    init() throws {
        let recipes = [try Recipe(parsing: "a=100"), try Recipe(parsing: "b=50,cover,alpha")]
        request = RenderRequest(number: 7, byteCount: 1000, recipes: recipes, limits: ImageLimits())
        summary = Self.summary()
    }

    private static func summary(
        width: Int = 200, frames: Int = 1, pieces: [RenderAnswer.Piece]? = nil, placeholder: [UInt8] = [1, 2, 3]
    ) -> RenderAnswer.Summary {
        RenderAnswer.Summary(
            header: ImageHeader(
                format: .jpeg, storedSize: PixelSize(width: width, height: 100), orientation: .right, hasAlpha: false,
                frameCount: frames),
            pieces: pieces ?? [piece(.jpeg, 50, 100), piece(.png, 50, 50, at: 500)], placeholder: placeholder,
            color: .white, warnings: [.truncated])
    }

    private static func piece(
        _ format: ImageFormat, _ width: Int, _ height: Int, at offset: Int = 0, count: Int = 500
    ) -> RenderAnswer.Piece {
        RenderAnswer.Piece(
            format: format, size: PixelSize(width: width, height: height), offset: offset, byteCount: count)
    }

    private func read(_ message: [UInt8]) throws(MalformedMessage) -> RenderAnswer {
        try RenderAnswer(message[...], to: request)
    }

    @Test("Requests are read as they were sent, with every limit")
    func requests() throws {
        var limits = ImageLimits(acceptsTruncated: true)
        for (index, number) in RenderRequest.limitNumbers.enumerated() { limits[keyPath: number] = 1000 + index }
        let values = Mirror(reflecting: limits).children.compactMap { $0.value as? Int }
        #expect(values.sorted() == Array(1000..<1000 + RenderRequest.limitNumbers.count))
        let request = RenderRequest(number: 7, byteCount: 1000, recipes: request.recipes, limits: limits)
        #expect(try RenderRequest(request.message[...]) == request)
    }

    @Test func trueAnswersAreRead() throws {
        for answer in [
            RenderAnswer.rendered(summary), .refused(ImageError(.corrupt, "ein Bild, köstlich", hint: "none")),
            .unreadable(5),
        ] { #expect(try read(answer.message(to: 7)) == answer) }
    }

    @Test("Impossible sizes, offsets, counts and formats are refused")
    func absurdities() throws {
        let good = Self.piece(.jpeg, 50, 100)
        let last = Self.piece(.jpeg, 50, 50)
        let summaries = [
            Self.summary(width: 0), Self.summary(width: -1), Self.summary(width: 30_001), Self.summary(width: Int.max),
            Self.summary(frames: 0), Self.summary(frames: Int.max),
            Self.summary(placeholder: Array(repeating: 0, count: 65)),
            Self.summary(pieces: []), Self.summary(pieces: [good]), Self.summary(pieces: [good, last, last]),
            Self.summary(pieces: [Self.piece(.jpeg, 51, 100), last]),
            Self.summary(pieces: [Self.piece(.png, 50, 100), last]),
            Self.summary(pieces: [Self.piece(.heic, 50, 100), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, at: -1), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, at: Int.max), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, at: request.capacity), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, at: request.capacity - 499), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, count: 0), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, count: Int.min), last]),
            Self.summary(pieces: [Self.piece(.jpeg, 50, 100, at: 1, count: Int.max), last]),
        ]
        for summary in summaries {
            #expect(throws: MalformedMessage.self) { try read(RenderAnswer.rendered(summary).message(to: 7)) }
        }
    }

    @Test func answersToAnotherQuestionAreNone() {
        for number in [0, 6, 8, -7] {
            #expect(throws: MalformedMessage.self) { try read(RenderAnswer.unreadable(5).message(to: number)) }
        }
    }

    @Test func refusalsAreTheRenderers() throws {
        for code in ["internal", "storage_locked", "", "decoder_crashed"] {
            let refusal = RenderAnswer.refused(ImageError(.init(rawValue: code), "m", hint: "h"))
            #expect(throws: MalformedMessage.self) { try read(refusal.message(to: 7)) }
        }
        let long = String(repeating: "é", count: 50_000) + "\u{1B}[2J\n"
        let refusal = RenderAnswer.refused(ImageError(.corrupt, "\u{1B}]0;x\u{7}" + long, hint: long))
        let answer = try read(refusal.message(to: 7))
        var refused: ImageError?
        if case .refused(let error) = answer { refused = error }
        let error = try #require(refused)
        #expect(error.message.utf8.count <= 2000 && error.hint.utf8.count <= 2000)
        #expect(error.message.hasPrefix("]0;xéé"))
    }

    @Test("A message with any changed byte or length is read as an answer within bounds, or refused")
    func damage() throws {
        let whole = RenderAnswer.rendered(summary).message(to: 7)
        for index in whole.indices {
            #expect(throws: MalformedMessage.self) { try read(Array(whole[..<index])) }
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, whole[index] &+ 1] {
                var message = whole
                message[index] = value
                guard case .rendered(let summary)? = try? read(message) else { continue }
                for piece in summary.pieces {
                    #expect((1...request.capacity).contains(piece.offset + piece.byteCount))
                }
                #expect(summary.header.storedSize.width <= request.limits.maxSide)
            }
        }
        #expect(throws: MalformedMessage.self) { try read(whole + [0]) }
    }
}
