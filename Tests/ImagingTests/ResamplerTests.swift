import Testing

@testable import Imaging

struct ResamplerTests {
    static let pairs = [
        (1, 1), (2, 1), (7, 3), (100, 100), (100, 99), (1000, 640), (4032, 1280), (30_000, 1), (30_000, 320), (126, 50),
    ]

    @Test(arguments: pairs)
    func weightsSumUpToOne(source: Int, target: Int) {
        for extent in [Double(source), Double(source) - 0.875] where extent >= Double(target) {
            let lanczos = LanczosWeights(
                from: SampleAxis(count: source, extent: extent), to: SampleAxis(count: target))
            #expect(lanczos.starts.count == target)
            for sample in 0..<target {
                let run = lanczos.source(of: sample)
                let weights = lanczos.weights[sample * lanczos.taps..<(sample + 1) * lanczos.taps].map(Int.init)
                #expect(weights[run.count...].allSatisfy { $0 == 0 })
                #expect(weights.reduce(0, +) == LanczosWeights.one)
                #expect(weights.map(abs).reduce(0, +) * 4 <= LanczosWeights.one * 7, "the headroom of the integers")
                #expect(run.lowerBound >= 0 && run.upperBound <= source && !run.isEmpty)
            }
        }
    }

    @Test func kernel() {
        #expect(LanczosWeights.kernel(0) == 1)
        for x in [1.0, 2.0, 3.0, 4.0, -1.0] { #expect(abs(LanczosWeights.kernel(x)) < 1e-12) }
        #expect(LanczosWeights.kernel(0.5) == LanczosWeights.kernel(-0.5))
        #expect(LanczosWeights.kernel(1.5) < 0)
    }

    @Test(arguments: [1, 3, 4], [UInt8(0), 1, 127, 254, 255])
    func flatStaysFlat(channels: Int, value: UInt8) {
        let size = PixelSize(width: 97, height: 61)
        let flat = PixelBuffer(
            size: size, channels: channels, bytes: [UInt8](repeating: value, count: size.pixelCount * channels))
        for target in [
            PixelSize(width: 1, height: 1), PixelSize(width: 33, height: 20), PixelSize(width: 96, height: 61),
        ] {
            #expect(flat.resampled(to: target).bytes.allSatisfy { $0 == value })
        }
    }

    @Test func aGradientStaysWhereItIs() {
        let size = PixelSize(width: 400, height: 3)
        let ramp = PixelBuffer(size: size, channels: 1, bytes: (0..<1200).map { UInt8($0 % 400 * 255 / 399) })
        let small = ramp.resampled(to: PixelSize(width: 100, height: 1))
        for x in 5..<95 { #expect(abs(Int(small.bytes[x]) - (x * 4 + 2) * 255 / 400) <= 1) }
    }

    @Test func channelsDoNotMix() {
        let size = PixelSize(width: 40, height: 40)
        let image = PixelBuffer(size: size, channels: 3, bytes: (0..<4800).map { [10, 120, 240][$0 % 3] })
        let small = image.resampled(to: PixelSize(width: 7, height: 9))
        #expect((0..<63).allSatisfy { Array(small.bytes[$0 * 3..<$0 * 3 + 3]) == [10, 120, 240] })
    }

    @Test func fineStripesBecomeGreyAndNotMoiré() {
        let size = PixelSize(width: 600, height: 8)
        let stripes = PixelBuffer(size: size, channels: 1, bytes: (0..<4800).map { $0 % 2 == 0 ? 0 : 255 })
        let small = stripes.resampled(to: PixelSize(width: 170, height: 8))
        // At the edges, the kernel sees half a stripe more of one colour.
        let inner = (0..<8).flatMap { small.bytes[$0 * 170 + 2..<$0 * 170 + 168] }
        #expect(inner.allSatisfy { (125...130).contains($0) }, "\(inner.prefix(170))")
    }

    @Test func levelsAreMadeFromTheNextLargerOne() {
        func size(_ width: Int, _ height: Int) -> ResizeTarget { ResizeTarget(PixelSize(width: width, height: height)) }
        let levels = ResizedImages.levels(of: [
            size(320, 240), size(1280, 960), size(213, 160), size(640, 480), size(320, 240), size(1200, 900),
        ])
        #expect(
            levels == [
                .init(target: size(1280, 960), source: nil), .init(target: size(1200, 900), source: nil),
                .init(target: size(640, 480), source: size(1200, 900)),
                .init(target: size(320, 240), source: size(640, 480)),
                .init(target: size(213, 160), source: size(320, 240)),
            ])
    }

    @Test(
        "The JPEG scale is the smallest one that still oversamples",
        arguments: [
            (2560, 8), (1280, 8), (1025, 8), (1024, 4), (321, 4), (320, 2), (161, 2), (160, 1), (1, 1),
        ])
    func jpegScale(target: Int, eighths: Int) {
        // The image has 2560 pixels. From half the size on, 1.25 times is enough; below that, it must be twice.
        let stored = PixelSize(width: 2560, height: 2560)
        let wanted = PixelSize(width: target, height: target)
        let chosen = JPEGScale.eighths(of: stored, for: wanted)
        #expect(chosen == eighths)
        #expect(chosen == 8 || 2560 * chosen >= target * 10)
    }
}
