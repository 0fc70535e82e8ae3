const nextConfig = {
  // Compression would collect the parts of a stream before it sends them.
  compress: false,
  rewrites: async () => [
    { source: '/halyard/:path*', destination: `${process.env['HALYARD_URL'] ?? 'http://127.0.0.1:3141'}/:path*` },
  ],
};

export default nextConfig;
