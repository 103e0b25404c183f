// swift-tools-version: 6.2
// Sends hostile bytes to the decoders, the rules and the wire protocol; a separate package, so that the service does not build
// it.
// Scripts/fuzz builds and runs it.

import PackageDescription

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "tintype", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    ],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "Imaging", package: "tintype"), .product(name: "Rules", package: "tintype"),
                .product(name: "TreeModel", package: "tintype"), .product(name: "Tree", package: "tintype"),
                .product(name: "Server", package: "tintype"), .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: [.define("HEIF")])
    ]
)
