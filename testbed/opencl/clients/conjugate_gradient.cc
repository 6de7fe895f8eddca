// A client of ViennaCL: a system of equations solved by conjugate gradients, and what is left of it.
#include <cstdio>
#include <map>
#include <vector>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/vector.hpp>

namespace {
constexpr std::size_t kSide = 64;

// The Laplacian of a square of points.
std::vector<std::map<unsigned, double>> laplacian() {
  std::vector<std::map<unsigned, double>> rows(kSide * kSide);
  for (unsigned y = 0; y < kSide; y++) {
    for (unsigned x = 0; x < kSide; x++) {
      std::map<unsigned, double>& row = rows[y * kSide + x];
      row[y * kSide + x] = 4;
      if (x > 0) row[y * kSide + x - 1] = -1;
      if (x + 1 < kSide) row[y * kSide + x + 1] = -1;
      if (y > 0) row[(y - 1) * kSide + x] = -1;
      if (y + 1 < kSide) row[(y + 1) * kSide + x] = -1;
    }
  }
  return rows;
}
}  // namespace

int main() {
  const std::vector<std::map<unsigned, double>> rows = laplacian();
  std::vector<double> right(rows.size());
  for (std::size_t i = 0; i < right.size(); i++) right[i] = static_cast<double>(i % 17) / 17;

  viennacl::compressed_matrix<double> matrix;
  viennacl::vector<double> b(right.size());
  viennacl::copy(rows, matrix);
  viennacl::copy(right.begin(), right.end(), b.begin());
  viennacl::linalg::cg_tag how(1e-10, 1000);
  viennacl::vector<double> x = viennacl::linalg::solve(matrix, b, how);
  viennacl::vector<double> left = viennacl::linalg::prod(matrix, x);
  left -= b;
  const double residual = viennacl::linalg::norm_2(left) / viennacl::linalg::norm_2(b);
  std::printf("iterations: %u\nsolved: %s\n", how.iters(), residual < 1e-8 ? "yes" : "NO");
  return residual < 1e-8 ? 0 : 1;
}
