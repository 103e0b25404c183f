import CKernels
import TestSupport
import Testing

@testable import Imaging

@Suite("The kernels give the same numbers on every processor")
struct KernelTests {
    @Test(arguments: [1, 2, 3, 6, 10, 31], [1, 7, 15, 16, 31, 32, 33, 100, 257])
    func blending(rowCount: Int, width: Int) {
        var random = SeededGenerator(seed: UInt64(rowCount * 1000 + width))
        for round in 0..<20 {
            let stride = width + round % 3
            // The extremes first, then random samples.
            let rows: [UInt8] = (0..<stride * rowCount).map { _ in
                round == 0 ? 255 : UInt8.random(in: 0...255, using: &random)
            }
            let weights = randomWeights(rowCount, &random)
            var portable = [Int16](repeating: 0, count: width)
            var fast = [Int16](repeating: 1, count: width)
            ckernels_blend_rows_portable(rows, stride, weights, rowCount, &portable, width)
            ckernels_blend_rows(rows, stride, weights, rowCount, &fast, width)
            #expect(fast == portable)
        }
    }

    @Test(arguments: [8, 16, 24, 40], [1, 7, 8, 9, 16, 100])
    func shrinking(taps: Int, count: Int) {
        var random = SeededGenerator(seed: UInt64(taps * 1000 + count))
        for round in 0..<20 {
            let width = 50
            let row: [Int16] = (0..<width + taps).map { _ in
                round == 0 ? 28_560 : Int16.random(in: -12_000...28_560, using: &random)
            }
            let starts = (0..<count).map { _ in UInt32.random(in: 0...UInt32(width), using: &random) }
            let weights = (0..<count).flatMap { _ in randomWeights(taps, &random) }
            var portable = [UInt8](repeating: 0, count: count)
            var fast = [UInt8](repeating: 1, count: count)
            ckernels_shrink_row_portable(row, starts, weights, taps, &portable, count)
            ckernels_shrink_row(row, starts, weights, taps, &fast, count)
            #expect(fast == portable)
        }
    }

    @Test(arguments: [Int16(8), 300, 2000, .max])
    func transforming(magnitude: Int16) {
        var random = SeededGenerator(seed: UInt64(magnitude))
        for _ in 0..<500 {
            let coefficients = (0..<64).map { _ in Int16.random(in: -magnitude...magnitude, using: &random) }
            var portable = [UInt8](repeating: 0, count: 8 * 11)
            var fast = portable
            ckernels_inverse_dct_4x4_portable(coefficients, &portable, 11)
            ckernels_inverse_dct_4x4(coefficients, &fast, 11)
            #expect(fast == portable)
            ckernels_inverse_dct_8x8_portable(coefficients, &portable, 11)
            ckernels_inverse_dct_8x8(coefficients, &fast, 11)
            #expect(fast == portable)
        }
    }

    @Test("Palette colours of one pixel and means of four are correct", arguments: [3, 4], [1, 2, 3, 16, 17, 100])
    func palettes(channels: Int, count: Int) {
        var random = SeededGenerator(seed: UInt64(channels * 1000 + count))
        for round in 0..<20 {
            // The extremes first, then random colours.
            let colors: [UInt64] = (0..<256).map { _ in
                round == 0
                    ? 0x00FF_00FF_00FF_00FF : UInt64.random(in: 0...UInt64.max, using: &random) & 0x00FF_00FF_00FF_00FF
            }
            let upper = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let lower = round % 2 == 0 ? upper : upper.reversed()
            func sample(_ index: UInt8, _ channel: Int) -> Int { Int(colors[Int(index)] >> (16 * channel) & 255) }
            // A sample between the rows, which must not change.
            let (stride, half) = (count + 1, (count + 1) / 2)
            var pixels = [UInt8](repeating: 7, count: channels * stride)
            ckernels_look_up_pixels(upper, colors, channels, &pixels, stride, count)
            var quads = [UInt8](repeating: 7, count: channels * (half + 1))
            ckernels_look_up_quads(upper, lower, colors, channels, &quads, half + 1, count)
            for channel in 0..<channels {
                let row = upper.map { UInt8(sample($0, channel)) }
                #expect(Array(pixels[channel * stride..<(channel + 1) * stride]) == row + [7])
                let means = (0..<half).map { x in
                    let right = min(2 * x + 1, count - 1)
                    let sum = [upper[2 * x], upper[right], lower[2 * x], lower[right]].reduce(2) {
                        $0 + sample($1, channel)
                    }
                    return UInt8(sum / 4)
                }
                #expect(Array(quads[channel * (half + 1)..<(channel + 1) * (half + 1)]) == means + [7])
            }
        }
    }

    /// Returns weights whose magnitudes have a sum below 1.75, as in the resampler.
    private func randomWeights(_ count: Int, _ random: inout SeededGenerator) -> [Int16] {
        let largest = LanczosWeights.one * 7 / 4 / count
        return (0..<count).map { _ in Int16.random(in: Int16(-largest / 4)...Int16(largest), using: &random) }
    }
}
