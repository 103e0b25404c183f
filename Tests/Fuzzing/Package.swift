// swift-tools-version: 6.2
// What throws hostile bytes at the decoders and the rules; a package of its own, so that the service does not build it.
// Scripts/fuzz builds and runs it.

import PackageDescription

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tintype", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "Imaging", package: "tintype"), .product(name: "Rules", package: "tintype"),
                .product(name: "TreeModel", package: "tintype"),
            ],
            swiftSettings: [.define("HEIF")])
    ]
)
