// swift-tools-version: 6.2
// A package of its own, so that nobody who builds the service builds it.

import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tintype", path: "..")],
    targets: [
        .executableTarget(
            name: "ThumbnailBenchmark", dependencies: [.product(name: "Imaging", package: "tintype")])
    ]
)
